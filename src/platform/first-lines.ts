const NEWLINE = 10

/** The beginning of bytes, of so many lines: all of them where there are no more. Nothing is copied. */
export function firstLines<Bytes extends Uint8Array>(bytes: Bytes, most: number): Bytes {
  let at = -1
  for (let line = 0; line < most; line += 1) {
    at = bytes.indexOf(NEWLINE, at + 1)
    if (at < 0) return bytes
  }
  return bytes.subarray(0, at + 1) as Bytes
}
