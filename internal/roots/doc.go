// Package roots reaches files beneath an open folder, and nothing outside it.
//
// # Promised
//
// From a model, a repository and other programs that change the tree while we
// look at it:
//
//   - An act never follows a link: each component of a name is opened beneath
//     the one before with O_NOFOLLOW. Links are resolved once, by Locate, and
//     what Locate found is compared again with what the act meets.
//   - An act on something that is there happens to the very thing that was
//     decided about: device and inode, and for a file the content's SHA-256,
//     are compared under an open descriptor, and once more after the name was
//     taken away from the old content. Anything else is a *ChangedError, and
//     the tree is as it was before.
//   - A replaced file holds its old or its new content at any moment, crash
//     included, and keeps its permission bits and owner. Nothing that is there
//     is overwritten by Create, Rename or Mkdir.
//   - Nothing blocks: pipes, sockets and devices are never opened.
//
// # Not promised
//
//   - A program that holds the old file open and writes to it in place after
//     the last comparison writes to a file without a name. This is so for
//     every atomic replacement.
//   - A folder that somebody moves out of the tree during an act is still that
//     folder: the act happens in it.
//   - Writing a file that has several hard links gives the new content to the
//     one name; the others keep the old file. The caller has to say that it
//     knows (State.Links).
//   - Extended attributes and access control lists do not survive Replace.
//   - After a crash in the middle of an act a file named .tera-pilot-*.tmp can
//     remain: the old content, or as much as was written of the new one. If the
//     crash fell into a removal, it is the file that was to be removed.
package roots
