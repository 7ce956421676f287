import { useMutation } from '@tanstack/react-query'
import { DisplayableError, errorMessage, type Schemas } from '../../api/client.ts'
import { useInvalidate, useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'

export type MediaFile = Schemas['MediaFile']

export const ACCEPTED_IMAGES = 'image/png,image/jpeg,image/gif,image/webp,image/svg+xml'
const MAX_BYTES = 5 * 1024 * 1024
const PAGE_SIZE = 48

/** Loads a page of the media library, newest first. @param search a part of the name or the alt text */
export const useMediaFiles = (search: string, page = 1) =>
  useWorkspaceQuery(
    ['media', search, page],
    async (api, signal) => {
      const query = { page, limit: PAGE_SIZE, ...(search !== '' && { search }) }
      return (await api.GET('/media-files', { params: { query }, signal })).data
    },
    { keepPrevious: true },
  )

/** Uploads images one after the other. Those that are refused do not affect the others, and are named. */
export function useUpload(onDone: (files: readonly MediaFile[]) => void) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  return useMutation({
    mutationFn: async (files: readonly File[]) => {
      const stored: MediaFile[] = []
      const refused: string[] = []
      for (const file of files) {
        const problem = problemOf(file)
        try {
          if (problem !== undefined) throw new DisplayableError(problem)
          const body = { name: file.name.slice(0, 200), content: await toBase64(file) }
          stored.push((await api.POST('/media-files', { body })).data.data)
        } catch (error) {
          refused.push(`${file.name}: ${errorMessage(error)}`)
        }
      }
      if (stored.length > 0) onDone(stored)
      if (refused.length > 0) throw new DisplayableError(refused.join('\n'))
    },
    onSettled: () => void invalidate('media'),
  })
}

/** Returns what is wrong with a file before it is uploaded. */
function problemOf({ type, size }: File): string | undefined {
  if (!ACCEPTED_IMAGES.split(',').includes(type)) return 'Not an image. Use PNG, JPEG, GIF, WebP or SVG.'
  if (size === 0) return 'The file is empty.'
  return size > MAX_BYTES ? 'Larger than 5 MB. Make it smaller.' : undefined
}

const toBase64 = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve((reader.result as string).replace(/^[^,]*,/, ''))
    reader.onerror = () => reject(new DisplayableError('Cannot be read. Choose it again.'))
    reader.readAsDataURL(file)
  })

/** The address from which this page loads a file: the same host, whatever the public URL is. */
export const sourceOf = ({ url }: Pick<MediaFile, 'url'>): string => new URL(url).pathname

/** Describes the size of a file: `1200 × 600, 86 KB`. */
export const sizeOf = ({ width, height, bytes }: MediaFile): string =>
  `${width} × ${height}, ${bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`}`

/** From this size on, mail clients load an image late. */
export const isLarge = ({ bytes }: MediaFile): boolean => bytes > 1024 * 1024
