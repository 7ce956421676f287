/** Saves text as a file of the browser's user. */
export function download(name: string, text: string): void {
  const link = document.createElement('a')
  // With a byte order mark, by which Excel recognizes UTF-8.
  link.href = URL.createObjectURL(new Blob(['\uFEFF', text], { type: 'text/csv;charset=utf-8' }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
