package semantic

import (
	"container/list"
	"sync"

	"candor/cache"
)

// maxQuestions is how many vectors of questions a profile keeps.
const maxQuestions = 512

// questions are the vectors of the last questions of one profile, by keyed digest. They
// are in memory only, and of one profile, so that no other can tell what was asked.
type questions struct {
	key cache.Key

	mu    sync.Mutex
	order *list.List // of asked, latest first
	by    map[cache.Query]*list.Element
}

// asked is a question with its vector.
type asked struct {
	name cache.Query
	vec  Vector
}

func newQuestions(key cache.Key) *questions {
	return &questions{key: key, order: list.New(), by: map[cache.Query]*list.Element{}}
}

// name is the digest of a question for a model.
func (q *questions) name(text, prefix, fingerprint string) cache.Query {
	return q.key.Query(fingerprint, prefix, text)
}

// get gives the vector of a question.
func (q *questions) get(name cache.Query) (Vector, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	e, ok := q.by[name]
	if !ok {
		return nil, false
	}
	q.order.MoveToFront(e)
	return e.Value.(asked).vec, true
}

// put keeps the vector of a question and forgets the one not asked for longest.
func (q *questions) put(name cache.Query, v Vector) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if e, ok := q.by[name]; ok {
		q.order.MoveToFront(e)
		return
	}
	q.by[name] = q.order.PushFront(asked{name, v})
	if q.order.Len() > maxQuestions {
		last := q.order.Back()
		delete(q.by, q.order.Remove(last).(asked).name)
	}
}
