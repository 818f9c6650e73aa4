// Package lexical ranks chunks by their words: an analyzer and a BM25F index held in
// memory, which follows its chunks at the cost of what changed.
//
// # Words
//
// Text and queries go through one analyzer. Letters, digits and marks are words, as
// Unicode classes them; zero-width and soft hyphen characters are not there. Words are
// compared without case, width and accents (NFKC, case fold, marks off Latin and Greek
// letters); ü is also ue, ß is ss. What is written without a space is one compound and is
// indexed whole and in parts: snake_case, camelCase, dotted.names, versions 4.18.2-rc1,
// paths, 10.20.0.0/16, root@bastion, retries=5. Two words with a hyphen, and camelCase,
// are also found as one: e-mail by email and the other way round. A leading '#', '.', '@' or '-' and a
// trailing '++' or '#' belong to the whole (#oncall, .net, -p, c++, c#) but not to the
// parts. Inflected words are indexed as a stem and as written, so that the exact form
// ranks before another form.
//
// Scripts written without spaces (Han, Kana, Hangul, Thai, Lao, Khmer, Myanmar) are
// indexed as pairs of neighbouring characters and as single ones. Pairs find every
// word of two or more characters without a dictionary; they also find pairs that
// straddle two words, which is the price, for Thai more than for Chinese.
//
// # Queries
//
// Any word may match and stop words count nothing, unless there is nothing else. The
// only syntax is "a phrase" and -word, and neither can fail. A phrase keeps only the
// chunks that hold it, if any does; else its words count as words. -word drops chunks
// that hold the word when a blank or nothing stands before the hyphen, at least two
// letters follow, another word is asked for, and no chunk has the word written with
// that hyphen: else it is a flag, as in rollctl -p.
//
// # Scores
//
// A word's weight is ln(1 + (N - f + 0.5)/(f + 0.5)), f being the chunks that hold it
// and N all chunks and a constant that keeps the weights of a tiny vault sane. Its
// frequency is the weighted sum over the fields, each divided by its relative length;
// the score is the sum of weight * (k1 + 1) * frequency / (k1 + frequency). The best
// passages are read again: words of the query that stand within a sentence or so of one
// another, or over the passage in its headings, add a share of their weight, and two that
// are neighbours there too one of the lighter one's. No passage can reach more than the
// sum of weight * (k1 + 1 + that share), the ceiling. A query equal to a note's title,
// alias or file name lifts that note's chunks above all others, below the ceiling.
// All statistics are whole numbers, so scores do not depend on how the index came to be.
package lexical
