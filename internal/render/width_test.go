package render

import (
	"slices"
	"testing"
)

func TestDisplayWidth(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "960 GB": 6, "µs · °C – …": 11, "予備領域": 8, "カナ": 4, "ｶﾅ": 2, "（x4）、": 8, "한국": 4, "㈱": 2, "𠮟る": 4, "＄￥": 4,
	} {
		if got := displayWidth(text); got != want {
			t.Errorf("%q: got %d columns, want %d", text, got, want)
		}
	}
}

// Lines of Japanese break between characters, but not before a full stop or
// behind a bracket, nor inside Latin words and numbers.
func TestWrapJapanese(t *testing.T) {
	for _, test := range []struct {
		text  string
		width int
		want  []string
	}{
		{"予備領域", 4, []string{"予備", "領域"}},
		{"予備領域", 5, []string{"予備", "領域"}},
		{"予備。領域", 6, []string{"予備。", "領域"}},
		{"予備（領域", 6, []string{"予備", "（領域"}},
		{"容量は960GBです", 11, []string{"容量は", "960GBです"}},
		{"リンクエラーを確認し読み直す", 18, []string{"リンクエラーを", "確認し読み直す"}},
		{"容量は 960 GB です", 11, []string{"容量は", "960 GB です"}},
		{"エラー 3 件あり", 10, []string{"エラー", "3 件あり"}},
		{"エラー 3 件、警告なし", 13, []string{"エラー 3 件、", "警告なし"}},
		{"定格の 0.05 %。", 10, []string{"定格の", "0.05 %。"}},
		{"SMART ログ", 8, []string{"SMART", "ログ"}},
		{"abcdefghij", 4, []string{"abcd", "efgh", "ij"}},
	} {
		got := wrap(test.text, test.width)
		for i := range got {
			got[i] = spaces(got[i])
		}
		for i := range test.want {
			test.want[i] = spaces(test.want[i])
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%q on %d columns: got %q, want %q", test.text, test.width, got, test.want)
		}
	}
}

// spaces is a line as it is written.
func spaces(line string) string {
	p := new(page)
	p.line(line)
	return p.b.String()
}
