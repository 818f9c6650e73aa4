package evidence

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"candor"
)

// TestComparerRemembers: what is remembered of passages changes no answer, whoever asks at
// the same time, and is bounded.
func TestComparerRemembers(t *testing.T) {
	terms := []candor.Term{{Text: "trial", Weight: 3}, {Text: "period", Weight: 3}, {Text: "dog", Weight: 4}}
	questions := []string{"how long is the trial period", "may a dog come during the trial period", "trial period of a dog", "how many dogs"}
	passages := make([]*candor.Chunk, 3*remembered)
	for i := range passages {
		path := candor.Path(fmt.Sprintf("n%d.md", i))
		text := fmt.Sprintf("The trial period is %d months. A dog may %s come. There are %d dogs.", i%5+2, []string{"", "not"}[i%2], i%3+2)
		passages[i] = &candor.Chunk{Path: path, Title: "Trial", Text: text}
	}
	c := &Comparer{}
	var work sync.WaitGroup
	for w := range 4 {
		work.Go(func() {
			for i := 0; i+6 <= len(passages); i += w + 1 {
				q, some := questions[(i+w)%len(questions)], passages[i:i+6]
				if diff := cmp.Diff(new(Comparer).Conflicts(q, terms, some), c.Conflicts(q, terms, some)); diff != "" {
					t.Errorf("%s, from %d (-new +remembering):\n%s", q, i, diff)
				}
			}
		})
	}
	work.Wait()
	if n := len(c.now) + len(c.before); n > 2*remembered || n < remembered {
		t.Errorf("%d passages are remembered", n)
	}
}
