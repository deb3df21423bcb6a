#!/usr/bin/env python3
"""Check exports of the tera-pilot audit log. Written from docs/audit-format.md.

    verify.py FILE... --pubkey audit_key.pub [--anchor SIZE:HASH|FILE]... [--json] [--strict]

Exit 0: intact. 1: tampered. 2: not readable, or called wrongly. With several
files the largest of their codes. Needs Python 3.8 and nothing else: the
Ed25519 check is below. Section numbers are those of the format page.

Reads exports (JSON and JSON lines, whole and partial, with a stub and with
disclosures) and proofs of single records. Holds a file in memory.
"""
import base64
import binascii
import hashlib
import json
import os
import re
import stat
import sys

# ------------------------------------------------------------------ section 2
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
D2 = 2 * D % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)
NEUTRAL = (0, 1, 1, 0)
SMALL_ORDER = {0, 1, P - 1} | {
    int.from_bytes(bytes.fromhex(h), "little")
    for h in (
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    )
}


def add(a, b):
    """Sum of two points in extended coordinates (RFC 8032, 5.1.4)."""
    p = (a[1] - a[0]) * (b[1] - b[0]) % P
    q = (a[1] + a[0]) * (b[1] + b[0]) % P
    r = a[3] * D2 * b[3] % P
    s = 2 * a[2] * b[2] % P
    e, f, g, h = q - p, s - r, s + r, q + p
    return e * f % P, g * h % P, f * g % P, e * h % P


def double(a):
    x, y, z = a[0] * a[0] % P, a[1] * a[1] % P, 2 * a[2] * a[2] % P
    h = x + y
    e = h - (a[0] + a[1]) * (a[0] + a[1]) % P
    g = x - y
    f = z + g
    return e * f % P, g * h % P, f * g % P, e * h % P


def decode_point(b):
    """The point of an encoding, or None (RFC 8032, 5.1.3)."""
    n = int.from_bytes(b, "little")
    sign, y = n >> 255, n & (1 << 255) - 1
    if y >= P:
        return None
    u, v = (y * y - 1) % P, (D * y * y + 1) % P
    x = u * pow(v, 3, P) * pow(u * pow(v, 7, P), (P - 5) // 8, P) % P
    if v * x * x % P != u:
        if v * x * x % P != P - u:
            return None
        x = x * ROOT_OF_MINUS_ONE % P
    if x == 0 and sign:
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


def encode_point(a):
    z = pow(a[2], P - 2, P)
    x, y = a[0] * z % P, a[1] * z % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def multiples(a):
    """0a … 15a, for four bits at a time."""
    out = [NEUTRAL, a]
    for _ in range(14):
        out.append(add(out[-1], a))
    return out


BASE = multiples(decode_point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little")))
KEYS = {}  # multiples of the negated public keys seen so far


def key_ok(pk):
    y = int.from_bytes(pk, "little") & (1 << 255) - 1
    return len(pk) == 32 and y < P and y not in SMALL_ORDER


def signed(pk, message, sig):
    if len(sig) != 64 or int.from_bytes(sig[32:], "little") >= L:
        return False
    if pk not in KEYS:
        a = decode_point(pk)
        if len(KEYS) > 1000:
            KEYS.clear()
        KEYS[pk] = None if a is None else multiples((P - a[0], a[1], 1, P - a[3]))
    table = KEYS[pk]
    if table is None:
        return False
    s = int.from_bytes(sig[32:], "little")
    k = int.from_bytes(hashlib.sha512(sig[:32] + pk + message).digest(), "little") % L
    r = NEUTRAL
    for shift in range(252, -4, -4):
        r = double(double(double(double(r))))
        r = add(add(r, BASE[s >> shift & 15]), table[k >> shift & 15])
    return encode_point(r) == sig[:32]


def sha(b):
    return hashlib.sha256(b).hexdigest()


def log_id(pk):
    return sha(pk)[:32]


# ------------------------------------------------------------------ section 3
MAX_INT, MAX_LINE, MAX_DEPTH = 2**53 - 1, 256 * 1024, 8


class Bad(Exception):
    """What is wrong, where the record is known: section 11."""

    def __init__(self, kind, reason):
        super().__init__(reason)
        self.kind = kind


class Unreadable(Exception):
    pass


def _pairs(pairs):
    d = dict(pairs)
    if len(d) != len(pairs):
        raise Bad("malformed", "the same name twice")
    if not all(k.isascii() for k in d):
        raise Bad("malformed", "a name that is not ASCII")
    return d


def _int(s):
    if s == "-0" or len(s) > 17 or abs(int(s)) > MAX_INT:
        raise Bad("malformed", "an integer out of range")
    return int(s)


def _no_number(s):
    raise Bad("malformed", "a number that the format does not have")


DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_int=_int, parse_float=_no_number, parse_constant=_no_number)
SPACE = re.compile(r"[ \t\r\n]*")


def depth_of(text):
    """Deepest nesting, without recursion: Python's own parser has a limit."""
    deepest = depth = 0
    for c in re.findall(r'"(?:[^"\\]|\\.)*"|[][{}]', text, re.S):
        if c in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif c in "]}":
            depth -= 1
    return deepest


def canon(v):
    return json.dumps(v, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf-8")


def check_values(v, depth=1):
    if v is None:
        raise Bad("malformed", "null, which the format does not have")
    if isinstance(v, (dict, list)):
        if depth > MAX_DEPTH:
            raise Bad("malformed", "nested too deeply")
        for x in v.values() if isinstance(v, dict) else v:
            check_values(x, depth + 1)


def values_in(text):
    """The JSON values of a text, one after the other, with their lines."""
    if depth_of(text) > MAX_DEPTH + 3:
        raise Bad("malformed", "nested too deeply")
    at = SPACE.match(text).end()
    while at < len(text):
        line = text.count("\n", 0, at) + 1
        try:
            v, at = DECODER.raw_decode(text, at)
        except ValueError as e:
            raise Bad("malformed", "not JSON: %s" % e)
        yield v, line
        at = SPACE.match(text, at).end()


# ------------------------------------------------------------------ section 4
HEX32, HEX64 = re.compile(r"[0-9a-f]{32}\Z"), re.compile(r"[0-9a-f]{64}\Z")
TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z\Z")
TYPES = ("open", "intent", "outcome", "event", "recover", "segment", "rekey", "close")
CONTEXT = {k: ("tera-pilot/audit/1 %s\n" % k).encode() for k in ("record", "checkpoint", "rekey", "stub")}
COMMON = "log mono n prev seq sid sig sprev ts type v"
KNOWN = {
    "open": "binary boot front head host level next noconfirm parent pid policy pstart redaction sandbox session settings spk tool user version workspace",
    "intent": "agent aid args asked by cat cmd cut decision effect inputs level net origin paths policy pre reason rule sandbox taint title tool want",
    "outcome": "aid code cut diff ms of out outsize post reason recovered signal status",
    "event": "cat data kind title",
    "recover": "intents torn",
    "segment": "segment",
    "rekey": "root rootlog rsig sessions",
    "close": "records status",
}


def is_hex(v, form):
    return isinstance(v, str) and form.match(v) is not None


def is_int(v):
    return type(v) is int


def is_key(v):
    return is_hex(v, HEX64) and key_ok(bytes.fromhex(v))


def signature(v):
    """64 bytes of the one spelling, or None."""
    if not isinstance(v, str) or not re.match(r"[A-Za-z0-9_-]{86}\Z", v):
        return None
    b = base64.urlsafe_b64decode(v + "==")
    return b if base64.urlsafe_b64encode(b).rstrip(b"=").decode() == v else None


class Record:
    def __init__(self, v):
        if not isinstance(v, dict):
            raise Bad("malformed", "a record is no object")
        check_values(v)
        try:
            self.line = canon(v)
        except UnicodeEncodeError:
            raise Bad("malformed", "a lone surrogate")
        if len(self.line) > MAX_LINE:
            raise Bad("malformed", "a record is too long")
        self.v, self.type, self.hash = v, v.get("type"), sha(self.line)
        self.body = canon({k: x for k, x in v.items() if k != "sig"})
        self._form()

    def _form(self):
        v, t = self.v, self.type
        if not isinstance(t, str) or t not in TYPES:
            raise Bad("malformed", "an unknown type")
        if not is_int(v.get("v")) or v["v"] != 1:
            raise Bad("malformed", "an unknown version")
        if not is_int(v.get("seq")) or v["seq"] < 0:
            raise Bad("sequence", "no seq")
        self.seq, self.sig = v["seq"], signature(v.get("sig"))
        if self.sig is None:
            raise Bad("malformed", "sig is not in its form")
        if not is_hex(v.get("log"), HEX32) or not is_hex(v.get("sid"), HEX32) or not is_hex(v.get("prev"), HEX64):
            raise Bad("malformed", "log, sid or prev is not in its form")
        if not isinstance(v.get("ts"), str) or not TIME.match(v["ts"]):
            raise Bad("malformed", "ts is not in its form")
        if t != "rekey" and (not is_int(v.get("mono")) or v["mono"] < 0):
            raise Bad("malformed", "mono is not in its form")
        if t not in ("open", "rekey") and (not is_int(v.get("n")) or v["n"] < 1 or not is_hex(v.get("sprev"), HEX64)):
            raise Bad("session-chain", "n or sprev is missing")
        ok = {
            "open": lambda: is_key(v.get("spk")) and is_key(v.get("next")),
            "rekey": lambda: is_key(v.get("root")) and is_hex(v.get("rootlog"), HEX32) and signature(v.get("rsig")) is not None,
            "intent": lambda: is_hex(v.get("aid"), HEX32),
            "outcome": lambda: is_hex(v.get("aid"), HEX32) and is_hex(v.get("of"), HEX64),
            "event": lambda: isinstance(v.get("kind"), str),
            "segment": lambda: is_int(v.get("segment")) and v["segment"] > 1,
            "close": lambda: is_int(v.get("records")),
            "recover": lambda: True,
        }[t]
        if not ok():
            raise Bad("malformed", "a member of the %s is missing or misshapen" % t)

    def signed_by(self, key):
        return signed(key, CONTEXT["record"] + self.body, self.sig)


class Sid:
    """An open session."""

    def __init__(self, key, n, head, last=None, line=None):
        self.key, self.n, self.head, self.mono, self.last, self.line = key, n, head, 0, last, line


def read_sids(items):
    out = {}
    if not isinstance(items, list):
        raise Bad("malformed", "sessions is no list")
    for s in items:
        if not isinstance(s, dict) or not (is_hex(s.get("sid"), HEX32) and is_key(s.get("spk")) and is_hex(s.get("head"), HEX64)) \
                or not is_int(s.get("n")) or s["n"] < 0:
            raise Bad("malformed", "sessions are misshapen")
        out[s["sid"]] = Sid(bytes.fromhex(s["spk"]), s["n"], s["head"])
    return out


# ------------------------------------------------------------------ section 5
def leaf(line):
    return hashlib.sha256(b"\0" + line).digest()


def node(left, right):
    return hashlib.sha256(b"\1" + left + right).digest()


class Tree:
    """The complete subtrees at the right edge, the largest first."""

    def __init__(self, size=0, edges=()):
        self.size, self.edges = size, list(edges)

    def append(self, h):
        n = self.size
        while n & 1:
            h = node(self.edges.pop(), h)
            n >>= 1
        self.edges.append(h)
        self.size += 1

    def root(self):
        if not self.edges:
            return hashlib.sha256(b"").digest()
        h = self.edges[-1]
        for left in reversed(self.edges[:-1]):
            h = node(left, h)
        return h


def included(h, index, size, path, root):
    """RFC 9162, 2.1.3.2."""
    if not 0 <= index < size:
        return False
    fn, sn = index, size - 1
    for p in path:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            h = node(p, h)
            while not fn & 1 and fn:
                fn >>= 1
                sn >>= 1
        else:
            h = node(h, p)
        fn >>= 1
        sn >>= 1
    return sn == 0 and h == root


def read_path(v):
    if not isinstance(v, list) or len(v) > 64 or not all(is_hex(h, HEX64) for h in v):
        return None
    return [bytes.fromhex(h) for h in v]


class Checkpoint:
    def __init__(self, v):
        bad = Bad("checkpoint", "no checkpoint in its form")
        if not isinstance(v, dict):
            raise bad
        try:
            check_values(v)
            self.body = canon({k: x for k, x in v.items() if k != "sig"})
        except (Bad, UnicodeEncodeError):
            raise bad
        self.log, self.size, self.head, self.sig = v.get("log"), v.get("size"), v.get("head"), signature(v.get("sig"))
        if not (is_hex(self.log, HEX32) and is_hex(self.head, HEX64) and is_hex(v.get("root"), HEX64) and is_int(self.size)) \
                or self.size < 0 or self.sig is None or not isinstance(v.get("ts"), str) or not TIME.match(v["ts"]):
            raise bad
        self.root = bytes.fromhex(v["root"])

    def signed_by(self, key):
        return signed(key, CONTEXT["checkpoint"] + self.body, self.sig)


# --------------------------------------------------------- sections 4.3 to 4.4
class Walk:
    def __init__(self, root, partial=False):
        self.root, self.partial = root, partial
        self.begun = self.trimmed = False
        self.log, self.logs, self.epoch = log_id(root), [log_id(root)], root
        self.size, self.count, self.head, self.tree = 0, 0, "0" * 64, Tree()
        self.sids, self.done, self.intents = {}, {}, {}
        self.segment, self.behind_stub, self.ts, self.opened = 1, False, "", 0
        self.purged = self.exported = self.start = None
        self.warnings, self.unknown = [], []

    def next(self, r):
        if r.seq < self.size:
            raise Bad("sequence", "seq is %d where %d comes next" % (r.seq, self.size))
        if r.seq > self.size and not self.partial:
            raise Bad("missing", "records %d to %d are missing" % (self.size, r.seq - 1))
        if r.seq == self.size and r.v["prev"] != self.head:
            raise Bad("chain", "prev is not the hash of the record before")
        if r.seq == self.size and self.behind_stub and r.type != "segment":
            raise Bad("sequence", "no segment begins behind the stub")
        key = self.key_for(r)
        if key is not None and not r.signed_by(key):
            raise Bad("signature", "not signed by the key in force here")
        self.take(r)

    def key_for(self, r):
        """The key that must have signed r; None where only hashes tie it."""
        if not self.begun:
            if r.seq == 0 and r.v["log"] == self.log:
                if r.type != "open":
                    raise Bad("genesis", "the first record is no open")
                self.begun = True
                return self.epoch
            if r.type == "rekey" and r.v["rootlog"] == self.log:
                self.begun = self.trimmed = True
                self.start = {"seq": r.seq, "why": "rekey"}
                self.rekey(r)
            return None
        if r.v["log"] != self.log:
            raise Bad("splice", "the record belongs to another log")
        sid = r.v["sid"]
        if r.type == "open":
            if sid in self.sids:
                raise Bad("session", "opened before")
            return self.epoch
        if r.type == "rekey":
            self.rekey(r)
            return self.epoch
        s = self.sids.get(sid)
        if s is None:
            raise Bad("session", "no open session")
        if r.v["n"] != s.n + 1 or r.v["sprev"] != s.head:
            raise Bad("session-chain", "not the next record of its session")
        if r.v["mono"] < s.mono:
            raise Bad("sequence", "mono goes backwards")
        if r.type == "close" and r.v["records"] != r.v["n"] + 1:
            raise Bad("session-chain", "the close counts other records")
        if r.type == "segment" and not self.partial and r.v["segment"] != self.segment + 1:
            raise Bad("sequence", "not the next segment")
        return s.key

    def rekey(self, r):
        v = r.v
        root = bytes.fromhex(v["root"])
        if log_id(root) != v["rootlog"]:
            raise Bad("malformed", "rootlog is not the id of root")
        body = canon({k: x for k, x in v.items() if k not in ("sig", "rsig")})
        if not signed(root, CONTEXT["rekey"] + body, signature(v["rsig"])):
            raise Bad("signature", "rsig is not by the new root key")
        for sid, s in read_sids(v.get("sessions", [])).items():
            have = self.sids.get(sid)
            if have is None and not self.trimmed:
                raise Bad("session", "the rekey names a session that is not open")
            if have is None:
                self.sids[sid] = s
            elif have.key != s.key or (have.n, have.head) != (s.n, s.head) and not (self.partial and have.n == 0):
                raise Bad("session-chain", "the rekey states another end of a session")

    def take(self, r):
        v = r.v
        self.head, self.size, self.count, self.behind_stub = r.hash, r.seq + 1, self.count + 1, False
        if not self.partial:
            self.tree.append(leaf(r.line))
        if v["ts"] < self.ts:
            self.warn("clock")
        self.ts = v["ts"]
        for name in v:
            if name not in COMMON.split() and name not in KNOWN[r.type].split() and name not in self.unknown:
                self.unknown.append(name)
        if r.type == "segment":
            self.segment = v["segment"]
        if r.type == "event" and v["kind"] == "purged" and isinstance(v.get("data"), dict):
            self.purged = (v["data"].get("size"), v["data"].get("stub"), self.epoch if self.begun else None)
        if not self.begun:
            return
        s = self.sids.get(v["sid"])
        if s is not None:
            s.n, s.head, s.mono, s.last, s.line = v["n"], r.hash, v["mono"], r.seq, r.line
        if r.type == "open":
            self.sids[v["sid"]] = Sid(bytes.fromhex(v["spk"]), 0, r.hash, r.seq, r.line)
            self.sids[v["sid"]].mono = v["mono"]
            self.epoch = bytes.fromhex(v["next"])
            self.opened += 1
        elif r.type == "rekey":
            self.epoch, self.log = bytes.fromhex(v["root"]), v["rootlog"]
            self.logs.append(self.log)
        elif r.type == "intent":
            self.intents[r.hash] = (v["aid"], r.seq)
        elif r.type == "outcome":
            if self.intents.get(v["of"], (None,))[0] == v["aid"]:
                del self.intents[v["of"]]
            elif not self.trimmed and not self.partial:
                self.warn("outcome")
        elif r.type == "event" and v["kind"] == "exported":
            self.exported = r
        elif r.type == "close":
            self.done[v["sid"]] = self.sids.pop(v["sid"])

    def warn(self, kind):
        self.warnings.append({"kind": kind, "index": self.count - 1})


# ------------------------------------------------------------------ section 8
class Stub:
    def __init__(self, walk, items):
        self.w = walk
        bad = Bad("malformed", "the first line of the stub is misshapen")
        if not isinstance(items, list) or not items or not isinstance(items[0], dict):
            raise bad
        v, opens = items[0], items[0].get("opens")
        try:
            check_values(v)
            lines = [canon(x) + b"\n" for x in items]
        except UnicodeEncodeError:
            raise bad
        self.sum, self.body = sha(b"".join(lines)), canon({k: x for k, x in v.items() if k != "sig"})
        self.size, self.sig, self.segment = v.get("size"), signature(v.get("sig")), v.get("segment")
        edges = v.get("tree", [])
        if not is_int(self.size) or self.size < 1 or not is_int(self.segment) or self.segment < 2 or self.sig is None \
                or not (is_hex(v.get("log"), HEX32) and is_hex(v.get("head"), HEX64) and is_hex(v.get("root"), HEX64)) \
                or not isinstance(edges, list) or not all(is_hex(e, HEX64) for e in edges) \
                or len(edges) != bin(self.size).count("1") or not isinstance(opens, dict):
            raise bad
        self.tree = Tree(self.size, [bytes.fromhex(e) for e in edges])
        if self.tree.root().hex() != v["root"]:
            raise bad
        sids = read_sids(v.get("sessions", []))
        met = opened_by(walk, items[1:], self.size, sids)
        if opens.get("count") != len(items) - 1 or opens.get("sha256") != sha(b"".join(lines[1:])):
            raise Bad("missing", "the stub does not hold the open records that it names")
        if walk.begun and walk.log != v["log"]:
            raise Bad("splice", "the stub belongs to another log")
        if walk.begun and set(sids) - set(met):
            raise Bad("session", "the stub names a session that it does not open")
        walk.sids = sids if walk.begun else {}
        walk.size, walk.count, walk.head, walk.tree = self.size, 0, v["head"], self.tree
        walk.segment, walk.behind_stub, walk.trimmed, walk.ts = self.segment - 1, True, True, ""

    def confirmed(self):
        size, digest, key = self.w.purged or (None, None, None)
        if size != self.size or digest != self.sum:
            raise Bad("missing", "the stub is not the one that the last purge named")
        if key is not None and not signed(key, CONTEXT["stub"] + self.body, self.sig):
            raise Bad("signature", "the stub is not signed by the key in force at the purge")


def opened_by(w, items, size, sids):
    """Follow open and rekey records alone; which of sids they vouch for."""
    last, met = -1, {}
    for v in items:
        r = Record(v)
        if r.type not in ("open", "rekey"):
            raise Bad("malformed", "neither open nor rekey")
        if not last < r.seq < size:
            raise Bad("sequence", "the open records are not in order")
        last, w.sids = r.seq, {}
        if not w.begun:
            if r.seq == 0 and v["log"] == w.log and r.type == "open":
                w.begun = True
            elif r.type == "rekey" and v["rootlog"] == w.log:
                w.begun = w.trimmed = True
                w.start = {"seq": r.seq, "why": "rekey"}
                w.rekey(r)
            else:
                continue
        else:
            if v["log"] != w.log:
                raise Bad("splice", "an open record of another log")
            if r.type == "rekey":
                w.trimmed = True
                w.rekey(r)
        if not (r.type == "rekey" and w.start and w.start["seq"] == r.seq) and not r.signed_by(w.epoch):
            raise Bad("signature", "an open record is not signed by the key in force")
        w.take(r)
        for sid, s in w.sids.items():
            if sid in sids:
                if sids[sid] is not None and sids[sid].key != s.key:
                    raise Bad("session", "another key of a session")
                met[sid] = s
    w.sids = {}
    return met


# ------------------------------------------------------------------ section 9
class Anchors:
    def __init__(self, names):
        self.list = []
        for name in names:
            self.list += read_anchor(name)
        self.result = ["unchecked"] * len(self.list)

    def at(self, w):
        for i, (log, size, hash_, root) in enumerate(self.list):
            if size != w.size or w.count == 0 and not w.behind_stub or log and (log != w.log or not w.begun) or root and w.partial:
                continue
            same = w.tree.root() == root if root else w.head.startswith(hash_)
            self.result[i] = "seen" if same else "fork"
            if not same:
                raise Bad("fork", "record %d is not the one that was anchored" % (size - 1))

    def rest(self, w):
        for i, (log, size, _, _) in enumerate(self.list):
            if log and log not in w.logs:
                self.result[i] = "other-log"
            elif size > w.size:
                self.result[i] = "rollback"
                raise Bad("rollback", "the log had %d records once, and now has %d" % (size, w.size))


def read_anchor(name):
    m = re.match(r"([1-9][0-9]{0,14}):([0-9a-f]{8,64})\Z", name)
    if m:
        return [(None, int(m[1]), m[2], None)]
    text = read_file(name).decode("utf-8", "replace")
    lines = text.split("\n")
    if len(lines) > 4 and lines[3] == "" and lines[0].startswith("tera-pilot.audit/"):
        return [(lines[0].split("/", 1)[1], int(lines[1]), None, base64.b64decode(lines[2]))]
    out = []
    for line in lines:
        m = re.match(r"\s*Tera-Audit: ([0-9a-f]{32})#([1-9][0-9]{0,14}) ([0-9a-f]{8,64})\s*\Z", line)
        if m:
            out.append((m[1], int(m[2]), m[3], None))
        m = re.match(r"\s*([1-9][0-9]{0,14}):([0-9a-f]{8,64})\s*\Z", line)
        if m:
            out.append((None, int(m[1]), m[2], None))
    if not out:
        raise Unreadable("%s holds no anchor" % name)
    return out


# ------------------------------------------------------------- sections 6 and 7
EXPORT, PROOF = "tera-pilot-audit-export/1", "tera-pilot-audit-proof/1"


class Export:
    def __init__(self, raw, root, anchors):
        self.root, self.anchors, self.stub = root, anchors, None
        self.w = Walk(root)
        self.bad = None
        self.where = (0, 0)  # index and line of what is looked at
        self.lines = {}
        try:
            self.check(raw)
        except Bad as e:
            index, line = self.where
            self.bad = {"index": index, "seq": self.w.size, "line": line, "kind": e.kind, "reason": str(e)}

    def check(self, raw):
        doc = self.read(raw)
        if doc.get("format") == PROOF:
            return self.proof(doc)
        for name in doc:
            if name not in ("format", "stub", "proofs", "records", "checkpoint", "disclosures"):
                raise Bad("format", "an export has no member %r" % name[:100])
        if doc.get("format") != EXPORT:
            raise Bad("format", "there is no member format %r" % EXPORT)
        self.where = (0, 0)
        w = self.w = Walk(self.root, "proofs" in doc)
        if "stub" in doc:
            self.stub = Stub(w, doc["stub"])
            self.anchors.at(w)
        records = doc.get("records", [])
        if not isinstance(records, list):
            raise Bad("malformed", "records is no list")
        last = None
        for i, v in enumerate(records):
            self.where = (i, self.lines.get(i, 0))
            last = Record(v)
            w.next(last)
            self.anchors.at(w)
        self.where = (0, 0)
        if not w.begun:
            raise Bad(*(("genesis", "none of the records is vouched for by this key") if w.count or self.stub else ("missing", "there are no records")))
        if self.stub:
            self.stub.confirmed()
        self.where = (w.count, 0)
        c = self.end(doc)
        if w.partial:
            self.partial(doc["proofs"], c, last)
        if "disclosures" in doc:
            disclosed(doc["disclosures"], records)
        self.anchors.rest(w)

    def read(self, raw):
        """The export as one object, from JSON or from JSON lines."""
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            raise Bad("malformed", "invalid UTF-8")
        if text.startswith("\ufeff"):
            raise Bad("malformed", "byte order mark")
        if text.strip(" \t\r\n") == "":
            raise Bad("truncated", "the file is empty")
        if text.lstrip(" \t\r\n")[0] == "[":
            raise Bad("legacy", "a list is what the Python original exported")
        if text.lstrip(" \t\r\n")[0] != "{":
            raise Unreadable("not an audit export")
        found = values_in(text)
        doc, _ = next(found)
        order = ["stub", "proof", "record", "checkpoint", "disclosure"]
        stage, lists = 0, {"stub": "stub", "proof": "proofs", "disclosure": "disclosures"}
        for v, line in found:
            if set(doc) - {"stub", "proofs", "checkpoint", "disclosures", "records"} != {"format"} or not isinstance(v, dict) \
                    or stage == 0 and set(doc) != {"format"}:
                raise Bad("malformed", "text after the end of the export")
            doc.setdefault("records", [])
            name = next(iter(v)) if len(v) == 1 and next(iter(v)) in order else "record"
            self.where = (len(doc["records"]), line)
            if order.index(name) + 1 < stage or name == "checkpoint" and "checkpoint" in doc:
                raise Bad("format", "the lines are not in their order")
            stage = order.index(name) + 1
            if name == "record":
                self.lines[len(doc["records"])] = line
                doc["records"].append(v)
            elif name == "checkpoint":
                doc["checkpoint"] = v[name]
            else:
                doc.setdefault(lists[name], []).append(v[name])
        return doc

    def end(self, doc):
        w = self.w
        if "checkpoint" not in doc:
            raise Bad("checkpoint", "there is no signed checkpoint")
        c = Checkpoint(doc["checkpoint"])
        if c.size > w.size:
            raise Bad("truncated", "the checkpoint states %d records, and there are %d" % (c.size, w.size))
        if c.size != w.size or c.head != w.head:
            raise Bad("checkpoint", "the checkpoint does not state the last record")
        if c.log != w.log:
            raise Bad("splice", "the checkpoint belongs to another log")
        if not c.signed_by(w.epoch):
            raise Bad("signature", "the checkpoint is not signed by the key in force at the end")
        if not w.partial and c.root != w.tree.root():
            raise Bad("checkpoint", "the checkpoint states another tree hash")
        return c

    def partial(self, proofs, c, last):
        w, event = self.w, self.w.exported
        if last.type != "close" or last.seq != c.size - 1 or event is None or last.v["sprev"] != event.hash:
            raise Bad("truncated", "the export does not end with who exported it")
        exporter, stated, proven = last.v["sid"], {}, set()
        data = event.v.get("data")
        for g in data.get("given", []) if isinstance(data, dict) else []:
            stated[g["sid"]] = (g["n"], g["head"])
        chains = dict(w.done)
        chains.update(w.sids)
        if not isinstance(proofs, list):
            raise Bad("malformed", "proofs is no list")
        for p in proofs:
            path = read_path(p.get("path")) if isinstance(p, dict) and set(p) == {"sid", "index", "path", "size"} else None
            if path is None or not is_int(p["index"]) or not is_int(p["size"]) or not is_hex(p["sid"], HEX32):
                raise Bad("malformed", "a proof is misshapen")
            s = chains.get(p["sid"])
            if s is None or s.line is None or p["sid"] in proven or p["index"] != s.last or p["size"] != c.size \
                    or not included(leaf(s.line), p["index"], c.size, path, c.root):
                raise Bad("session-chain", "the last record of a session is not proven")
            if p["sid"] != exporter and stated.get(p["sid"]) != (s.n, s.head):
                raise Bad("truncated", "a session does not end where the exporter stated")
            proven.add(p["sid"])
        if set(stated) - proven:
            raise Bad("missing", "a session is missing that the exporter gave")
        if exporter not in proven or any(s.n > 0 and s.line is not None and sid not in proven for sid, s in chains.items()):
            raise Bad("session-chain", "a session has no proof of its end")

    def proof(self, doc):
        w = self.w
        for name in doc:
            if name not in ("format", "record", "index", "path", "opens", "checkpoint"):
                raise Bad("format", "a proof has no member %r" % name[:100])
        c = Checkpoint(doc.get("checkpoint"))
        r, path = Record(doc.get("record")), read_path(doc.get("path"))
        if path is None or doc.get("index") != r.seq or not is_int(doc["index"]) or not included(leaf(r.line), r.seq, c.size, path, c.root):
            raise Bad("chain", "the path does not lead to the tree of the checkpoint")
        opens = doc.get("opens", [])
        met = opened_by(w, opens, c.size, {r.v["sid"]: None})
        if not w.begun:
            raise Bad("genesis", "no record is vouched for by this key")
        if not c.signed_by(w.epoch) or c.log != w.log:
            raise Bad("signature", "the checkpoint is not signed by the key in force")
        if r.line not in [canon(v) for v in opens]:
            if r.type in ("open", "rekey") or r.v["sid"] not in met:
                raise Bad("session", "the open of the record's session is missing")
            if not r.signed_by(met[r.v["sid"]].key):
                raise Bad("signature", "the record is not signed by the key of its session")
        w.size, w.head, w.count, w.partial = c.size, c.head, 1, True
        self.anchors.at(w)


def disclosed(items, records):
    if not isinstance(items, list):
        raise Bad("malformed", "disclosures is no list")
    by_seq, last = {v["seq"]: canon(v) for v in records}, -1
    for d in items:
        if not isinstance(d, dict) or set(d) != {"name", "sd", "seq"} or not is_int(d["seq"]) or not isinstance(d["sd"], str) or not isinstance(d["name"], str):
            raise Bad("malformed", "a disclosure is not {name, sd, seq}")
        try:
            if not re.match(r"[A-Za-z0-9_-]*\Z", d["sd"]):
                raise ValueError
            opened = json.loads(base64.urlsafe_b64decode(d["sd"] + "=" * (-len(d["sd"]) % 4)), object_pairs_hook=_pairs)
            name = opened[1] if isinstance(opened, list) and len(opened) == 3 else None
        except (ValueError, binascii.Error, RecursionError):
            name = None
        if name != d["name"]:
            raise Bad("malformed", "a disclosure is not [salt, name, value]")
        if d["seq"] < last or d["seq"] not in by_seq:
            raise Bad("malformed", "a disclosure is not in its turn")
        last = d["seq"]
        digest = base64.urlsafe_b64encode(hashlib.sha256(d["sd"].encode()).digest()).rstrip(b"=")
        if b'"sd:' + digest + b'"' not in by_seq[last]:
            raise Bad("splice", "a disclosure opens no commitment of its record")


# ----------------------------------------------------------------- section 11
def report(x, strict):
    w = x.w
    warnings = list(w.warnings)
    if x.bad is None:
        warnings += [{"kind": "no-close", "index": s.last or 0, "note": sid} for sid, s in sorted(w.sids.items()) if s.n or not w.partial]
        warnings += [{"kind": "open-intent", "index": seq} for _, seq in sorted(w.intents.values(), key=lambda i: i[1])]
    for (_, size, hash_, _), result in zip(x.anchors.list, x.anchors.result):
        if result in ("unchecked", "other-log"):
            warnings.append({"kind": "unchecked-anchor", "index": size - 1})
        if hash_ and len(hash_) < 16:
            warnings.append({"kind": "short-anchor", "index": size - 1})
    unable = x.anchors.list and not set(x.anchors.result) - {"unchecked", "other-log"}
    code = 1 if x.bad or strict and warnings and not unable else 2 if unable else 0
    start = {"seq": x.stub.size, "why": "stub"} if x.stub else w.start
    out = {
        "ok": code == 0, "exit": code, "records": w.count, "sessions": w.opened, "head": {"log": w.log, "size": w.size, "hash": w.head},
        "start": start, "first_bad": x.bad, "warnings": warnings, "complete": x.bad is None and not w.partial and not x.stub,
        "anchors": [{"size": a[1], "result": r} for a, r in zip(x.anchors.list, x.anchors.result)], "unknown_members": w.unknown,
    }
    if code == 2:
        out["error"] = "none of the anchors could be checked"
    return out


def read_file(name):
    try:
        fd = os.open(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(fd, "rb") as f:
            if not stat.S_ISREG(os.fstat(f.fileno()).st_mode):  # a pipe could block for ever
                raise Unreadable("%s is not a regular file" % name)
            return f.read()
    except OSError as e:
        raise Unreadable(str(e))


def read_key(name):
    b = read_file(name)
    if len(b) != 37 or b[:5] != b"CLWA1" or not key_ok(b[5:]):
        raise Unreadable("%s is not a public key file: CLWA1 and 32 bytes" % name)
    return b[5:]


def verify(name, pubkey, anchors, strict=False):
    try:
        key = read_key(pubkey)
        return report(Export(read_file(name), key, Anchors(anchors)), strict)
    except Unreadable as e:
        return {"ok": False, "exit": 2, "error": str(e), "first_bad": None, "warnings": [], "anchors": []}


def main(argv):
    files, anchors, pubkey, as_json, strict = [], [], None, False, False
    it = iter(argv)
    for a in it:
        if a == "--pubkey":
            pubkey = next(it, None)
        elif a == "--anchor":
            anchors.append(next(it, ""))
        elif a == "--json":
            as_json = True
        elif a == "--strict":
            strict = True
        elif a.startswith("-"):
            files = []
            break
        else:
            files.append(a)
    if not files or pubkey is None:
        print(__doc__, file=sys.stderr)
        return 2
    worst = 0
    for name in files:
        r = verify(name, pubkey, anchors, strict)
        worst = max(worst, r["exit"])
        if as_json:
            print(json.dumps(r))
        elif r["first_bad"]:
            print("%s: TAMPERED at record %d: %s: %s" % (name, r["first_bad"]["index"], r["first_bad"]["kind"], ascii(r["first_bad"]["reason"])))
        elif r["exit"] == 2:
            print("%s: %s" % (name, r["error"]), file=sys.stderr)
        else:
            print("%s: %s: %d records, head %d:%s%s" % (name, "intact" if r["ok"] else "NOT CLEAN", r["records"], r["head"]["size"], r["head"]["hash"],
                  "".join("; warning: %s at %d" % (x["kind"], x["index"]) for x in r["warnings"][:20])))
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
