package lang

import "testing"

func TestFromEnvironment(t *testing.T) {
	for _, tt := range []struct {
		all, messages, lang string
		want                Tag
	}{
		{"", "", "", English},
		{"", "", "ja_JP.UTF-8", Japanese},
		{"", "", "ja_JP.utf8", Japanese},
		{"", "", "ja_JP", Japanese},
		{"", "", "ja", Japanese},
		{"", "", "ja_JP.UTF-8@modifier", Japanese},
		{"", "", "ja_JP.eucJP", English},
		{"", "", "jam_JM.UTF-8", English},
		{"", "", "de_DE.UTF-8", English},
		{"C", "", "ja_JP.UTF-8", English},
		{"C.UTF-8", "", "ja_JP.UTF-8", English},
		{"POSIX", "ja_JP.UTF-8", "", English},
		{"", "en_GB.UTF-8", "ja_JP.UTF-8", English},
		{"", "ja_JP.UTF-8", "C", Japanese},
		{"ja_JP.UTF-8", "C", "C", Japanese},
	} {
		env := map[string]string{"LC_ALL": tt.all, "LC_MESSAGES": tt.messages, "LANG": tt.lang}
		if got := FromEnvironment(func(name string) string { return env[name] }); got != tt.want {
			t.Errorf("%v: got %s, want %s", env, got, tt.want)
		}
	}
}

func TestParse(t *testing.T) {
	for _, tag := range Tags() {
		if got, ok := Parse(string(tag)); !ok || got != tag {
			t.Errorf("%s: got %s, %t", tag, got, ok)
		}
	}
	for _, name := range []string{"", "de", "JA", "ja_JP"} {
		if _, ok := Parse(name); ok {
			t.Errorf("%q is a language", name)
		}
	}
}
