package till

import "testing"

func TestPay(t *testing.T) {
	if got := Pay(10, 1, 2); got != 4 {
		t.Errorf("Pay(10, 1, 2) = %d, want 4", got)
	}
}
