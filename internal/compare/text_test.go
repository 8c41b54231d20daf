package compare

import "testing"

func TestTexts(t *testing.T) {
	tests := []struct{ got, want string }{
		{percent(0.034), "+0.03 %"},
		{percent(-9.9911), "-9.99 %"},
		{percent(11.06), "+11.1 %"},
		{percent(9.996), "+10.0 %"},
		{percent(-123.4), "-123.4 %"},
		{number(0.00793650), "0.00794"},
		{number(2), "2"},
		{number(13.653), "13.7"},
		{number(10009.8), "10 010"},
		{number(500000), "500 000"},
		{number(1234567), "1 234 567"},
		{number(-123456), "-123 456"},
		{plural(1, "run"), "1 run"},
		{plural(0, "run"), "0 runs"},
		{plural(6, "run"), "6 runs"},
		{enumerate(nil), ""},
		{enumerate([]string{"a"}), "a"},
		{enumerate([]string{"a", "b"}), "a and b"},
		{enumerate([]string{"a", "b", "c"}), "a, b and c"},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

func TestDigits(t *testing.T) {
	for v, want := range map[float64]float64{0: 0, 1: 1, 0.0411255: 0.04113, 1.23456e-9: 1.235e-9} {
		if got := digits(v); got != want {
			t.Errorf("%v: got %v, want %v", v, got, want)
		}
	}
	if got := round(1.23456); got != 1.235 {
		t.Errorf("rounded is %v", got)
	}
	if rounded(nil) != nil || *rounded(new(2.0004)) != 2 {
		t.Error("a figure that is not known became one")
	}
}
