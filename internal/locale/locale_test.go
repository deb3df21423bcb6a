package locale

import "testing"

func TestPlain(t *testing.T) {
	for value, want := range map[string]bool{
		"": true, "C": true, "POSIX": true, "C.UTF-8": true, "de_CH.utf8": true, "en_US.UTF-8@euro": true,
		"zh_TW.Big5": false, "zh_CN.GBK": false, "ja_JP.SJIS": false, "zh_TW": false, "en_US": false, "en_US.UTF-8\nx": false, "../x.UTF-8": false,
	} {
		if Plain(value) != want {
			t.Errorf("%q: %v", value, !want)
		}
	}
}
