// Package vault lists, reads and watches the notes inside one folder.
//
// # What a note is
//
// A regular file with one name, on the file system of the vault's own folder, whose
// name ends in .md, .markdown or .mdx in any case, and which [policy] lets some
// profile see. Everything else is passed over, and what an owner might miss is listed
// as a [Skip]: symbolic links, hard links (a second name could lead round a denial),
// pipes, sockets and devices, other file systems, names that are not UTF-8 or that no
// answer could show plainly, folders too deep, files too big.
//
// # How a note is opened
//
// An [os.Root] keeps paths inside the folder, but follows links between zones inside
// it. So paths are walked part by part: each folder is opened in the one before, and
// then the name is looked at once more without following links, while the folder is
// held open. It must be the very folder that was opened. What was opened is therefore
// what its name named, with no link on the way, whatever happens in between. Files
// are opened in the same way and without waiting, so that a pipe cannot block.
//
// A listing and a [Reader] hold the folders of the last note open. For the next one in
// the same folders each name on the way is looked at again, and a folder that it no
// longer names is not used.
//
// # What reading gives
//
// One version of the file, as valid UTF-8 with the line numbers of the file: see
// [File]. Names are kept as they are on the disk; paths are in Unicode form NFC.
package vault
