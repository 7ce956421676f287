/** Returns a file name, without an extension. It has no characters that mean something in a path. */
export const slugOf = (name: string, fallback = 'template'): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 80) || fallback
