"""Lies under genuine signatures: the thief of the key on the disk (A3) goes on
with the log as its owner would, signs every byte, and breaks one rule of
docs/audit-format.md. What keeps all rules passes: the page says so."""
import base64, json, os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tamperkit import Mut, canon, sha
from cases_more import tree


def b64(b):
    return base64.urlsafe_b64encode(b).rstrip(b"=").decode()


class Thief:
    """Appends records to an export. Every member can be given another value by
    name, or taken away by None; what follows goes on from what was written."""

    def __init__(self, ctx, d):
        import refaudit
        self.ra, self.d = refaudit, d
        last = d.recs[-1]
        self.seq, self.prev, self.log, self.ts = last["seq"] + 1, sha(canon(last)), last["log"], last["ts"]
        self.epoch, self.next, self.key = ctx.epoch, b"\x31" * 32, b"\x32" * 32
        self.sid, self.n, self.sprev, self.mono = "f0" * 16, 0, None, 0

    def put(self, r, key, over, text=b"tera-pilot/audit/1 record\n", rsig=None):
        for k, v in over.items():
            if v is None:
                r.pop(k, None)
            else:
                r[k] = v
        if rsig:
            r["rsig"] = b64(self.ra.sign(rsig, b"tera-pilot/audit/1 rekey\n" + canon(r)))
        r["sig"] = b64(self.ra.sign(key, text + canon(r)))
        self.d.recs.append(r)
        self.seq, self.prev = self.seq + 1, sha(canon(r))
        return r

    def common(self, type):
        return {"v": 1, "type": type, "log": self.log, "seq": self.seq, "prev": self.prev, "sid": self.sid, "ts": self.ts}

    def open(self, key=None, **over):
        pub = lambda s: self.ra.pub(s).hex()
        r = dict(self.common("open"), mono=0, spk=pub(self.key), next=pub(self.next))
        self.n, self.mono = 0, 0
        r = self.put(r, key or self.epoch, over)
        self.sprev, self.epoch = self.prev, self.next
        return r

    def rec(self, type="event", key=None, **over):
        self.n += 1
        r = dict(self.common(type), mono=self.mono, n=self.n, sprev=self.sprev)
        if type == "event":
            r["kind"] = "note"
        r = self.put(r, key or self.key, over)
        self.sprev = self.prev
        return r

    def close(self, **over):
        return self.rec("close", **dict(dict(records=self.n + 2, status="ok"), **over))

    def rekey(self, sid="f1" * 16, rsig=None, **over):
        root = b"\x41" * 32
        pub = self.ra.pub(root)
        r = dict(self.common("rekey"), sid=sid, root=pub.hex(), rootlog=sha(pub)[:32], sessions=[])
        r = self.put(r, self.epoch, over, rsig=rsig or root)
        self.epoch, self.log, self.next = root, r.get("rootlog"), b"\x42" * 32
        return r

    def checkpoint(self, key=None, **over):
        recs = self.d.recs
        c = {"size": self.seq, "head": self.prev, "root": tree([canon(r) for r in recs]), "log": self.log, "ts": self.ts}
        c.update(over)
        c["sig"] = b64(self.ra.sign(key or self.epoch, b"tera-pilot/audit/1 checkpoint\n" + canon(c)))
        self.d.doc["checkpoint"] = c


def register(kit):
    def lie(name, expect="fail"):
        def deco(fn):
            @kit.case("forged-" + name, expect, "A3")
            def _(ctx):
                d = ctx.doc()
                if not ctx.epoch or not isinstance(d.doc, dict):
                    return None
                t = Thief(ctx, d)
                if fn(t) is not False:
                    t.checkpoint()
                return Mut(d.dump())
        return deco

    def session(name, expect="fail", **over):
        """A session of three records, the middle one of which is changed."""
        @lie(name, expect)
        def _(t):
            t.open()
            t.rec(**over)
            t.close()

    # What keeps the rules is a session like any other: the page says so of A3.
    session("honest", "pass")
    session("a-member-nobody-names", "pass", tomorrow=1)
    session("a-kind-nobody-names", "pass", kind="tomorrow")
    session("eight-deep", "pass", data={"a": [[[[[[1]]]]]]})
    session("2-to-53-less-1", "pass", ms=2**53 - 1)

    # Each of these signed by the right key.
    session("nine-deep", data={"a": [[[[[[[1]]]]]]]})
    session("2-to-53", ms=2**53)
    session("minus-2-to-53", ms=-2**53)
    session("a-line-too-long", title="x" * 262144)
    session("version-2", v=2)
    session("a-type-nobody-names", type="note")
    session("mono-back", mono=-1)
    session("n-twice", n=0)
    session("n-jumps", n=2)
    session("sprev-of-the-open-before", sprev="0" * 64)
    session("prev-is-zero", prev="0" * 64)
    session("seq-jumps", seq=10**6)
    session("seq-again", seq=0)
    session("ts-of-the-30th-of-february", "pass", ts="2026-02-30T00:00:00.000Z")
    session("ts-of-second-60", "pass", ts="2026-06-30T23:59:60.000Z")
    session("ts-of-hour-24", "pass", ts="2026-06-30T24:00:00.000Z")
    session("ts-with-a-comma", ts="2026-06-30T23:59:59,000Z")
    session("ts-in-other-digits", ts="\u0662026-06-30T23:59:59.00Z")
    session("another-log", log="ab" * 16)
    session("log-in-capitals", log="AB" * 16)
    session("sid-in-capitals", sid="F0" * 16)
    session("an-intent-without-aid", type="intent")
    session("an-outcome-of-nothing", type="outcome")
    session("an-event-without-a-kind", kind=None)
    session("time-goes-back", "pass", ts="2001-01-01T00:00:00.000Z")
    session("a-name-in-two-forms", data={"\u00e9": 1})
    session("an-intent-in-the-clear", "pass", type="intent", aid="0" * 32, args="clear text", kind=None)

    @lie("signed-by-the-epoch-key")
    def _(t):
        t.open()
        t.rec(key=t.epoch)
        t.close()

    @lie("signed-by-the-session-before")
    def _(t):
        t.open()
        t.rec()
        old = t.key
        t.close()
        t.sid, t.key, t.next = "f2" * 16, b"\x33" * 32, b"\x34" * 32
        t.open()
        t.rec(key=old)
        t.close()

    @lie("an-open-by-the-key-of-the-open-before")
    def _(t):
        first = t.epoch
        t.open()
        t.close()
        t.sid, t.next = "f2" * 16, b"\x34" * 32
        t.open(key=first)
        t.close()

    @lie("a-sid-opened-twice")
    def _(t):
        t.open()
        t.next = b"\x34" * 32
        t.open()
        t.close()

    @lie("an-open-with-a-key-of-small-order")
    def _(t):
        t.open(spk="01" + "00" * 31)

    @lie("an-open-with-a-next-of-small-order")
    def _(t):
        t.open(next="26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")

    @lie("a-close-that-miscounts")
    def _(t):
        t.open()
        t.close(records=7)

    @lie("a-record-behind-the-close")
    def _(t):
        t.open()
        t.close()
        t.rec()

    @lie("a-segment-that-jumps")
    def _(t):
        t.open()
        t.rec("segment", segment=9)
        t.close()

    @lie("a-segment-that-goes-on", "pass")
    def _(t):
        t.open()
        t.rec("segment", segment=2)
        t.close()

    @lie("a-new-root", "pass")
    def _(t):
        t.rekey()

    @lie("a-new-root-by-itself-alone")
    def _(t):
        t.rekey(rsig=b"\x43" * 32)

    @lie("a-new-root-under-another-id")
    def _(t):
        t.rekey(rootlog="ab" * 16)

    @lie("a-new-root-that-tells-of-no-session")
    def _(t):
        t.rekey(sessions=[{"sid": "ee" * 16, "spk": "ab" * 32, "n": 1, "head": "0" * 64}])

    @lie("a-new-root-with-a-mono", "pass")
    def _(t):
        t.rekey(mono=1)

    @lie("a-checkpoint-of-the-future")
    def _(t):
        t.open()
        t.close()
        t.checkpoint(size=t.seq + 1)
        return False

    @lie("a-checkpoint-with-the-tree-of-less")
    def _(t):
        t.open()
        t.close()
        t.checkpoint(root=tree([canon(r) for r in t.d.recs[:-1]]))
        return False

    @lie("a-checkpoint-by-the-key-before")
    def _(t):
        first = t.epoch
        t.open()
        t.close()
        t.checkpoint(key=first)
        return False

    @lie("a-checkpoint-by-the-session")
    def _(t):
        t.open()
        t.close()
        t.checkpoint(key=t.key)
        return False
