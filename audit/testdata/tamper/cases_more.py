"""More ways to tamper, of other kinds than the suite's: records of two logs and
two times mixed, spellings of JSON that parsers read differently, keys and
signatures put in each other's place, cuts at every border."""
import base64, copy, json, re
from tamperkit import Mut, canon, sha

P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493


def register(kit):
    case = kit.case

    def doc_case(name, expect="fail", level="A1"):
        """A case that changes the parsed export; it returns the place, or None."""
        def deco(fn):
            @case(name, expect, level)
            def _(ctx):
                d = ctx.doc()
                where = fn(ctx, d)
                return None if where is False else Mut(d.dump(), where)
        return deco

    def bytes_case(name, expect="refuse", level="A1"):
        def deco(fn):
            @case(name, expect, level)
            def _(ctx):
                out = fn(ctx, ctx.raw)
                return None if out is None or out == ctx.raw else Mut(out)
        return deco

    body = lambda d: [i for i, r in enumerate(d.recs) if r.get("sid")]
    sids = lambda d: list(dict.fromkeys(d.recs[i]["sid"] for i in body(d)))

    # -- sessions against each other
    @doc_case("swap-two-sessions")
    def _(ctx, d):
        a, b = sids(d)[:2]
        i = [j for j in body(d) if d.recs[j]["sid"] == a]
        k = [j for j in body(d) if d.recs[j]["sid"] == b]
        mix = [d.recs[j] for j in k] + [d.recs[j] for j in i]
        for j, r in zip(sorted(i + k), mix):
            d.recs[j] = r
        return {min(i + k), min(i + k) + 1}

    @doc_case("a-session-taken-out")
    def _(ctx, d):
        b = sids(d)[1]
        first = min(j for j in body(d) if d.recs[j]["sid"] == b)
        d.recs = [r for r in d.recs if r.get("sid") != b]
        return {first, first + 1}

    @doc_case("a-session-twice")
    def _(ctx, d):
        a = sids(d)[0]
        n = len(d.recs)
        more = [copy.deepcopy(r) for r in d.recs if r.get("sid") == a]
        at = max(i for i in body(d)) + 1
        d.recs[at:at] = more
        return {at, at + 1, n}

    @doc_case("sids-exchanged")
    def _(ctx, d):
        a, b = sids(d)[:2]
        for i in body(d):
            d.recs[i]["sid"] = {a: b, b: a}.get(d.recs[i]["sid"], d.recs[i]["sid"])
        return set(body(d)[:2])

    @doc_case("close-moved-forward")
    def _(ctx, d):
        i = next(j for j in body(d) if d.recs[j].get("type") == "close")
        r = d.recs.pop(i)
        d.recs.insert(i - 1, r)
        return {i - 1, i}

    for kind in ("open", "close", "intent", "outcome", "event"):
        def gone(ctx, d, kind=kind):
            l = [j for j in body(d) if d.recs[j].get("type") == kind]
            i = l[len(l) // 2]
            del d.recs[i]
            return {i, i + 1}
        doc_case("without-an-" + kind)(gone)

        def other(ctx, d, kind=kind):
            l = [j for j in body(d) if d.recs[j].get("type") == kind]
            i = l[-1]
            d.recs[i]["type"] = "event" if kind != "event" else "close"
            return {i, i + 1}
        doc_case("type-changed-of-" + kind)(other)

    # -- two logs of one root key, two times of one log
    def part(d):
        return d.recs[len(d.recs) // 2:]

    @doc_case("front-of-another-log")
    def _(ctx, d):
        o = ctx.other()
        if o is None:
            return False
        n = len(d.recs) // 2
        d.recs = o.recs[:n] + d.recs[n:]
        return None

    @doc_case("tail-of-another-log")
    def _(ctx, d):
        o = ctx.other()
        if o is None:
            return False
        n = len(o.recs) // 2
        d.recs = d.recs[:n] + o.recs[n:]
        return None

    @doc_case("every-second-record-of-another-log")
    def _(ctx, d):
        o = ctx.other()
        if o is None:
            return False
        for i in range(1, min(len(d.recs), len(o.recs)), 2):
            d.recs[i] = o.recs[i]
        return None

    for what, pick in (("older", "older"), ("other", "other")):
        def cp(ctx, d, pick=pick):
            o = getattr(ctx, pick)()
            if o is None or not isinstance(d.doc, dict):
                return False
            d.doc["checkpoint"] = o.doc["checkpoint"]
            return None
        doc_case("checkpoint-of-" + what)(cp)

    @doc_case("records-of-older-checkpoint-of-newer")
    def _(ctx, d):
        o = ctx.older()
        if o is None or not isinstance(d.doc, dict):
            return False
        d.recs = o.recs
        return None

    @case("older-with-anchor-of-now", "fail", "A1")
    def _(ctx):
        return Mut(ctx._older, anchor=ctx.head()) if ctx._older else None

    @case("anchor-of-another-head", "fail", "A1")
    def _(ctx):
        n = ctx.head().split(":")[0]
        return Mut(ctx.raw, anchor=n + ":" + "5" * 64)

    # -- the checkpoint
    for m in ("size", "head", "root", "log", "ts", "sig"):
        def gone(ctx, d, m=m):
            if not isinstance(d.doc, dict):
                return False
            del d.doc["checkpoint"][m]
            return None
        doc_case("checkpoint-without-" + m)(gone)

        def changed(ctx, d, m=m):
            if not isinstance(d.doc, dict):
                return False
            v = d.doc["checkpoint"][m]
            d.doc["checkpoint"][m] = v - 1 if isinstance(v, int) else ("1" if v[0] != "1" else "2") + v[1:]
            return None
        doc_case("checkpoint-changed-" + m)(changed)

    for name, v in (("null", None), ("list", []), ("text", "x"), ("empty", {}), ("true", True)):
        def kind(ctx, d, v=v):
            if not isinstance(d.doc, dict):
                return False
            d.doc["checkpoint"] = v
            return None
        doc_case("checkpoint-is-" + name)(kind)

    @doc_case("checkpoint-twice-in-a-list")
    def _(ctx, d):
        if not isinstance(d.doc, dict):
            return False
        d.doc["checkpoint"] = [d.doc["checkpoint"]] * 2
        return None

    @doc_case("checkpoint-with-one-member-more")
    def _(ctx, d):
        if not isinstance(d.doc, dict):
            return False
        d.doc["checkpoint"]["note"] = "x"
        return None

    @doc_case("a-checkpoint-among-the-records")
    def _(ctx, d):
        if not isinstance(d.doc, dict):
            return False
        d.recs.insert(2, copy.deepcopy(d.doc["checkpoint"]))
        return {2, 3}

    # -- members of the export
    for m, v in (("key", "A" * 64), ("pubkey", "x"), ("", 1), ("Records", []), ("ok", True), ("verified", True)):
        def more(ctx, d, m=m, v=v):
            if not isinstance(d.doc, dict):
                return False
            d.doc[m] = v
            return None
        doc_case("export-member-%s" % (m or "empty"))(more)

    for v in ("tera-pilot-audit-export/2", "tera-pilot-audit-export/1 ", "tera-pilot-audit-proof/1", None, 1, ""):
        def fmt(ctx, d, v=v):
            if not isinstance(d.doc, dict):
                return False
            d.doc["format"] = v
            return None
        doc_case("format-%r" % (v,))(fmt)
    for m, v in (("stub", []), ("stub", {}), ("proofs", []), ("proofs", {}), ("disclosures", {}), ("disclosures", [{}]), ("disclosures", ["x"]),
                 ("disclosures", [{"name": "args", "sd": "WyJhIiwiYXJncyIsImIiXQ", "seq": 1}]), ("disclosures", None), ("stub", None), ("proofs", None), ("records", None), ("records", {}), ("records", [[]]), ("records", [None])):
        def put(ctx, d, m=m, v=v):
            if not isinstance(d.doc, dict):
                return False
            d.doc[m] = v
            return None
        doc_case("%s-is-%s" % (m, json.dumps(v)[:30]))(put)

    # -- signatures
    def raw(s):
        return base64.urlsafe_b64decode(s + "=" * (-len(s) % 4))

    def b64(b):
        return base64.urlsafe_b64encode(b).rstrip(b"=").decode()

    def sigs(name, new, expect="fail"):
        @doc_case("sig-" + name, expect)
        def _(ctx, d):
            i = body(d)[len(body(d)) // 2]
            d.recs[i]["sig"] = new(d.recs[i]["sig"], d, i)
            return {i, i + 1}

    sigs("s-plus-L", lambda s, d, i: b64(raw(s)[:32] + (int.from_bytes(raw(s)[32:], "little") + L).to_bytes(32, "little")))
    sigs("s-minus", lambda s, d, i: b64(raw(s)[:32] + ((L - int.from_bytes(raw(s)[32:], "little")) % L).to_bytes(32, "little")))
    sigs("R-sign-bit", lambda s, d, i: b64(raw(s)[:31] + bytes([raw(s)[31] ^ 128]) + raw(s)[32:]))
    sigs("R-identity", lambda s, d, i: b64(b"\1" + bytes(31) + bytes(32)))
    sigs("high-bits", lambda s, d, i: b64(raw(s)[:63] + bytes([raw(s)[63] | 0x20])))
    sigs("padding", lambda s, d, i: s + "==")
    sigs("unused-bits", lambda s, d, i: s[:-1] + "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"["ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".index(s[-1]) | 1])
    sigs("standard-alphabet", lambda s, d, i: s.replace("-", "+").replace("_", "/") if re.search("[-_]", s) else s + "+")
    sigs("line-break", lambda s, d, i: s[:40] + "\n" + s[40:])
    sigs("hex", lambda s, d, i: raw(s).hex())
    sigs("of-the-record-before", lambda s, d, i: d.recs[i - 1]["sig"])
    sigs("of-the-checkpoint", lambda s, d, i: d.doc["checkpoint"]["sig"] if isinstance(d.doc, dict) else s + "A")
    sigs("list", lambda s, d, i: [s])
    sigs("number", lambda s, d, i: 0)
    sigs("true", lambda s, d, i: True)

    # -- keys in a record
    for m in ("spk", "next"):
        for name, v in (("zero", "0" * 64), ("one", "01" + "0" * 62), ("minus-one", "ec" + "f" * 60 + "7f"), ("not-canonical", "ee" + "f" * 60 + "7f"),
                        ("upper", None), ("small-order", "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), ("short", "00"), ("gone", "")):
            def key(ctx, d, m=m, name=name, v=v):
                i = next((j for j in body(d) if m in d.recs[j]), None)
                if i is None:
                    return False
                if name == "gone":
                    del d.recs[i][m]
                else:
                    d.recs[i][m] = d.recs[i][m].upper() if v is None else v
                return {i, i + 1}
            doc_case("%s-%s" % (m, name))(key)

    @doc_case("keys-of-two-opens-exchanged")
    def _(ctx, d):
        o = [j for j in body(d) if d.recs[j].get("type") == "open"][:2]
        a, b = (d.recs[j] for j in o)
        a["spk"], b["spk"] = b["spk"], a["spk"]
        return {o[0], o[0] + 1}

    @doc_case("next-is-the-session-key")
    def _(ctx, d):
        i = body(d)[0]
        d.recs[i]["next"] = d.recs[i]["spk"]
        return {i, i + 1}

    @doc_case("signed-by-the-key-of-today", level="A3")
    def _(ctx, d):
        if not ctx.epoch:
            return False
        import refaudit
        i = body(d)[3]
        d.recs[i]["title"] = "forged"
        r = {k: v for k, v in d.recs[i].items() if k != "sig"}
        d.recs[i]["sig"] = b64(refaudit.sign(ctx.epoch, b"tera-pilot/audit/1 record\n" + canon(r)))
        return {i, i + 1}

    @doc_case("a-checkpoint-signed-as-a-record", level="A3")
    def _(ctx, d):
        if not ctx.epoch or not isinstance(d.doc, dict):
            return False
        import refaudit
        c = d.doc["checkpoint"]
        c.pop("sig")
        c["sig"] = b64(refaudit.sign(ctx.epoch, b"tera-pilot/audit/1 record\n" + canon(c)))
        return None

    @doc_case("own-checkpoint-over-a-cut", level="A2")
    def _(ctx, d):
        if not isinstance(d.doc, dict):
            return False
        import refaudit
        d.recs = d.recs[:-2]
        c = d.doc["checkpoint"]
        c.pop("sig")
        c["size"], c["head"] = len(d.recs), sha(canon(d.recs[-1]))
        c["root"] = tree([canon(r) for r in d.recs])
        c["sig"] = b64(refaudit.sign(b"\x21" * 32, b"tera-pilot/audit/1 checkpoint\n" + canon(c)))
        return None

    # -- spellings that parsers read differently
    def text(name, fn, expect="refuse"):
        bytes_case("text-" + name, expect)(lambda ctx, b: fn(b))

    once = lambda a, c: lambda b: re.sub(a, lambda m: c, b, count=1) if re.search(a, b) else None
    text("duplicate-member", once(rb'"seq":\s*1\b', b'"seq":1,"seq":1'))
    text("duplicate-member-other-value", once(rb'"status":\s*"ok"', b'"status":"rejected","status":"ok"'))
    text("duplicate-by-escape", once(rb'"status":\s*"ok"', b'"st\\u0061tus":"rejected","status":"ok"'))
    text("duplicate-deep", once(rb'"grade":\s*"A"', b'"grade":"B","grade":"A"'))
    text("case-of-member", once(rb'"status":', b'"Status":'))
    text("case-of-member-beside", once(rb'"status":\s*"ok"', b'"status":"ok","STATUS":"rejected"'))
    text("long-s", once(rb'"status":', '"\u017ftatus":'.encode()))
    text("float", once(rb'"seq":\s*1\b', b'"seq":1.0'))
    text("exponent", once(rb'"seq":\s*1\b', b'"seq":1e0'))
    text("exponent-minus", once(rb'"seq":\s*1\b', b'"seq":10E-1'))
    text("minus-zero", once(rb'"seq":\s*0\b', b'"seq":-0'))
    text("leading-zero", once(rb'"seq":\s*1\b', b'"seq":01'))
    text("plus", once(rb'"seq":\s*1\b', b'"seq":+1'))
    text("hexadecimal", once(rb'"seq":\s*1\b', b'"seq":0x1'))
    text("underscore", once(rb'"seq":\s*1\b', b'"seq":1_0'))
    text("big", once(rb'"seq":\s*1\b', b'"seq":' + b"1" * 400))
    text("2-to-64-plus-1", once(rb'"seq":\s*1\b', b'"seq":18446744073709551617'))
    text("nan", once(rb'"seq":\s*1\b', b'"seq":NaN'))
    text("infinity", once(rb'"seq":\s*1\b', b'"seq":Infinity'))
    text("a-string-for-a-number", once(rb'"seq":\s*1\b', b'"seq":"1"'))
    text("true-for-one", once(rb'"v":\s*1\b', b'"v":true'))
    text("arabic-digit", once(rb'"seq":\s*1\b', '"seq":\u0661'.encode()))
    text("bom", lambda b: b"\xef\xbb\xbf" + b)
    text("utf16", lambda b: b.decode().encode("utf-16"))
    text("bom-inside", once(rb'"seq":\s*1\b', b'"seq":\xef\xbb\xbf1'))
    text("nul-at-the-end", lambda b: b + b"\0")
    text("sub-at-the-end", lambda b: b + b"\x1a")
    text("comment", once(rb'"seq":\s*1\b', b'"seq":/**/1'))
    text("comment-at-the-end", lambda b: b + b"// ok\n")
    text("trailing-comma", lambda b: re.sub(rb"\]\s*,?\s*(?=[}\"])", b",]", b, count=1) if b"]" in b else None)
    text("single-quotes", once(rb'"seq"', b"'seq'"))
    text("no-quotes", once(rb'"seq"', b"seq"))
    text("vertical-tab", once(rb'"seq":', b'"seq":\x0b'))
    text("no-break-space", once(rb'"seq":', b'"seq":\xc2\xa0'))
    text("invalid-utf8", once(rb'"title":\s*"', b'"title":"\xff'))
    text("overlong", once(rb'"title":\s*"', b'"title":"\xc0\xaf'))
    text("surrogate-utf8", once(rb'"title":\s*"', b'"title":"\xed\xa0\x80'))
    text("lone-surrogate", once(rb'"title":\s*"', b'"title":"\\ud800'))
    text("nul-in-a-string", once(rb'"title":\s*"', b'"title":"\0'))
    text("escaped-nul", once(rb'"title":\s*"', b'"title":"\\u0000'))
    text("tab-in-a-string", once(rb'"title":\s*"', b'"title":"\t'))
    text("bad-escape", once(rb'"title":\s*"', b'"title":"\\x41'))
    text("decomposed", lambda b: b.replace("é".encode(), "e\u0301".encode()) if "é".encode() in b else None)
    text("invisible", once(rb'"title":\s*"', '"title":"\u200b'.encode()))
    text("deep", once(rb'"seq":\s*1\b', b'"seq":' + b"[" * 100000))
    text("deep-objects", once(rb'"seq":\s*1\b', b'"seq":' + b'{"a":' * 100000))
    text("white-space-in-front-is-no-harm", lambda b: b"\n \t\r\n" + b, "pass")
    text("white-space-behind-is-no-harm", lambda b: b + b"\n \t\r\n", "pass")
    text("cr-lf-is-no-harm", lambda b: b.replace(b"\n", b"\r\n"), "pass")
    text("another-object-behind", lambda b: b.rstrip(b"\n") + b"{}")
    text("a-list-around", lambda b: b"[" + b + b"]")
    text("cr-alone-is-no-harm", lambda b: b.replace(b"\n", b"\r"), "pass")
    text("gzip", lambda b: __import__("gzip").compress(b))

    @case("escapes-are-no-harm", "pass", "-")
    def _(ctx):
        d = ctx.doc()
        return Mut(d.dump(ascii=True)) if d.kind == "json" else None

    # -- sizes and order
    for q in (1, 3, 5, 7, 9):
        def cut(ctx, d, q=q):
            n = len(d.recs) * q // 10
            if n == 0:
                return False
            d.recs = d.recs[:n]
            return None
        doc_case("cut-at-%d0-percent" % q)(cut)

    @doc_case("same-time-reordered")
    def _(ctx, d):
        for i in range(1, len(d.recs) - 1):
            if d.recs[i].get("ts") == d.recs[i + 1].get("ts") and "ts" in d.recs[i]:
                d.recs[i], d.recs[i + 1] = d.recs[i + 1], d.recs[i]
                return {i, i + 1}
        return False

    @doc_case("renumbered-and-rechained-without-one")
    def _(ctx, d):
        i = body(d)[4]
        del d.recs[i]
        for j in body(d):
            if j >= i:
                d.recs[j]["seq"] -= 1
                d.recs[j]["prev"] = sha(canon(d.recs[j - 1]))
        return {i, i + 1}

    for m in ("n", "sprev", "mono", "prev", "log", "v", "ts", "sid", "type"):
        def gone(ctx, d, m=m):
            l = [j for j in body(d) if m in d.recs[j]]
            i = l[len(l) // 2]
            del d.recs[i][m]
            return {i, i + 1}
        doc_case("record-without-" + m)(gone)

    for name, v in (("zone", "2026-01-31T23:59:59.000+00:00"), ("lower", "2026-01-31t23:59:59.000z"), ("leap", "2026-02-30T23:59:59.000Z"),
                    ("short", "2026-01-31T23:59:59Z"), ("number", 1), ("space", "2026-01-31 23:59:59.000Z")):
        def time(ctx, d, v=v):
            i = body(d)[5]
            d.recs[i]["ts"] = v
            return {i, i + 1}
        doc_case("time-" + name)(time)


def tree(lines):
    """The tree hash of RFC 6962 section 2.1."""
    if len(lines) == 1:
        return sha(b"\0" + lines[0])
    k = 1
    while k * 2 < len(lines):
        k *= 2
    return sha(b"\1" + bytes.fromhex(tree(lines[:k])) + bytes.fromhex(tree(lines[k:])))
