package cart

import "testing"

func TestTotal(t *testing.T) {
	if got := Total(1, 2); got != 6 {
		t.Errorf("Total(1, 2) = %d, want 6", got)
	}
}

func TestDiscount(t *testing.T) {
	if got := Total(10); got != 19 {
		t.Errorf("Total(10) = %d, want 19 €", got)
	}
}
