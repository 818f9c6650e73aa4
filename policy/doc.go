// Package policy decides who may read which note. It is the only maker of a
// [Permit], and a vault opens nothing without one, so a file that no profile may see
// is never opened.
//
// # Precedence
//
// A profile is a set of allow and deny globs. For one path and one profile:
//
//  1. A path that is not clean (see [CleanPath]) is denied.
//  2. The write zone is denied to everybody, and so is tier T3.
//  3. A deny glob that matches denies, whatever the order of the globs and however
//     exact an allow glob is. Nothing is allowed again inside a denied folder.
//  4. Else an allow glob that matches allows.
//  5. Else the path is denied.
//
// A note may narrow its audience ([Permit.Narrow]); nothing widens it.
//
// Allow globs are matched on the NFC form of a path, case kept. Deny globs are
// matched on that form and on the case-folded one, so that "Salaries" is as denied as
// "salaries" on a disk that tells them apart. A deny glob whose last part holds no
// wildcard denies the whole folder of that name too: "hr" is "hr/**".
//
// # Globs
//
// A glob is matched against the whole path, part by part, parts joined by '/'.
//
//	glob    = part { "/" part }
//	part    = "**"                     any number of parts, also none
//	        | { item }
//	item    = "*"                      any characters of one part, also none
//	        | "?"                      one character of one part
//	        | "[" ["^" | "!"] range { range } "]"   one character, of or not of a set
//	        | "{" glob { "," glob } "}"             one of several globs
//	        | "\" character            that character, whatever it means elsewhere
//	        | character                itself; "]" and "," alone are themselves
//	range   = character [ "-" character ]
//
// No wildcard ever crosses a '/': neither '*' nor '?' nor a set, also a negated one.
// "**" beside anything else in a part, a brace too, is '*'. A character is a code point of the NFC form. Brackets,
// braces, '*', '?' and '\' in a file name are written with a '\' before them, or in a
// set of one: "[[]draft].md" is the note "[draft].md".
//
// In allow globs a wildcard does not match a hidden name (one that begins with a dot)
// or the folder of a tool (node_modules): such a part must be written out, as in
// ".github/**". In every other glob wildcards match all names.
//
// A glob has no leading or trailing '/', no empty part and no "." or ".."; those could
// match nothing, and a deny glob that matches nothing is a leak. In deny globs a set
// must mean the same after case folding: "[A-z]" and "[ß]" are refused.
//
// # Trust
//
// Trust rules give paths a tier and a day until which that trust holds. The first rule
// that matches decides; a path that none matches has the default tier. Rules for T0
// and T1 match as allow globs do (hidden names included), rules for T2 and T3 as deny
// globs.
//
// With several vaults every path and every glob begins with the name of a vault.
package policy
