// Package trust says what of a repository's own configuration the person has
// let in, by content.
//
// # Promised
//
// From whoever can write to a repository:
//
//   - Nothing is trusted by its path. What was let in is the SHA-256 of a
//     file's bytes together with what kind of thing it is; one changed byte is
//     another file, which nobody let in.
//   - A reader gets the very bytes that were compared ([Grant.Read]): a file
//     that is swapped after the person looked is not read.
//   - Nothing is followed out of the repository: a link anywhere in a path of
//     the configuration, or anything but a regular file, is refused and named.
//   - The inventory runs nothing, expands nothing and connects to nothing. It
//     reads the files that listers name.
//   - The zero [Grant] lets nothing in.
//   - A list that cannot be read, or that is larger than its bounds, is an
//     error; it is never a folder that holds nothing.
//
// # Not promised
//
//   - What a program that was let in reads by itself is not looked at: the
//     sandbox bounds it.
//   - Who can write our own state folder can trust whatever they like.
//
// # Use
//
// A room that loads something of a repository registers a [Lister] for its
// kind in the command's list of listers, and loads through [Grant.Read] what
// the grant [Grant.Permits], and nothing else.
package trust
