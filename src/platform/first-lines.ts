const NEWLINE = 10

/** The first lines of some bytes, or all bytes if there are fewer lines. Nothing is copied. */
export function firstLines<Bytes extends Uint8Array>(bytes: Bytes, maxLines: number): Bytes {
  let at = -1
  for (let line = 0; line < maxLines; line += 1) {
    at = bytes.indexOf(NEWLINE, at + 1)
    if (at < 0) return bytes
  }
  return bytes.subarray(0, at + 1) as Bytes
}
