/** Public URLs of files: `/m/<hash>.<ending>`. */
import type { ImageType } from '../platform/image.ts'

const ENDINGS = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/gif': 'gif' } as const satisfies Record<
  ImageType,
  string
>

export const fileUrl = (publicUrl: string, { hash, type }: { hash: string; type: ImageType }): string =>
  `${publicUrl}/m/${hash}.${ENDINGS[type]}`

/** Reads the hash from the last part of a path. @returns `undefined` if it is not the name of a file */
export const hashOfName = (name: string): string | undefined => /^([\w-]{32})\.(?:png|jpg|gif)$/.exec(name)?.[1]

/** Reads the hash from a URL of this instance. @returns `undefined` if the URL is another one */
export function hashOfUrl(url: string, publicUrl: string): string | undefined {
  const start = `${publicUrl}/m/`
  return url.startsWith(start) ? hashOfName(url.slice(start.length)) : undefined
}
