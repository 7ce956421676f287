/** Images of other servers. The API loads them, because the browser may request nothing from other hosts. */
import { queryOptions, useQueries } from '@tanstack/react-query'
import { useWorkspace } from '../../api/workspace.tsx'

const isOfWeb = (url: string): boolean => /^https?:\/\//i.test(url) && !url.includes('{')

/** Loads images. @returns the `data:` URL of each that is loaded, by its URL */
export function useWebImages(urls: readonly string[]): ReadonlyMap<string, string> {
  const { api, workspace } = useWorkspace()
  const wanted = [...new Set(urls)].filter(isOfWeb)
  return useQueries({
    queries: wanted.map((url) =>
      queryOptions({
        queryKey: [workspace.id, 'web-image', url],
        queryFn: async ({ signal }) => {
          const { data } = await api.POST('/media-files/preview', { body: { url }, signal })
          return data.data.dataUrl
        },
        staleTime: Infinity,
        retry: false,
      }),
    ),
    combine: (results) =>
      new Map(results.flatMap(({ data }, n) => (data === undefined ? [] : [[wanted[n]!, data] as const]))),
  })
}

const IMAGES = /<img\b[^>]*?\ssrc\s*=\s*(?:"([^"]*)"|'([^']*)')/gi

/** The URLs of the images in rendered HTML. */
export const imagesIn = (html: string): string[] =>
  [...html.matchAll(IMAGES)].map(([, double, single]) => (double ?? single ?? '').replaceAll('&amp;', '&'))
