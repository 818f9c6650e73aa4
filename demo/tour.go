package demo

// Question is one that the demo asks of its vault.
type Question struct {
	Text string // as a person would type it
	Path string // the note whose passage answers it; "" when none does
	Says string // words that stand in that passage
}

// Show is what the demo command shows: an answer with its citation, an abstention, and
// that a note one may not see looks like a note that is not there.
type Show struct {
	Profile   string   // asks all of it
	Answered  Question // the first passage answers it
	Abstained Question // plausible, and answered nowhere in the vault
	Denied    string   // path of a note that Profile may not see
	Missing   string   // as long as Denied, and in no vault
}

// Tour gives the demo's questions.
func Tour() Show {
	return Show{
		Profile: "staff",
		Answered: Question{
			Text: "How long is parental leave?",
			Path: "internal/policies/leave.md",
			Says: "Parental leave is 26 weeks at full pay",
		},
		Abstained: Question{Text: "Does the company pay for dental treatment?"},
		Denied:    "restricted/pay/salary-bands-2026.md",
		Missing:   "restricted/pay/salary-bands-2031.md",
	}
}
