import { useElementSize, useIntersection, useMergedRef } from '@mantine/hooks'
import { IconTemplate } from '@tabler/icons-react'
import { useMemo } from 'react'
import type { Api, Schemas } from '../../api/client.ts'
import { useWorkspaceQuery } from '../../api/workspace.tsx'
import { imagesIn, useWebImages } from '../../components/media/web-images.ts'
import { forColorScheme, safeHtml } from '../../lib/safe-html.ts'
import classes from './templates.module.css'

/** The size at which the email is rendered before it is scaled, in pixels. */
const WIDTH = 640
const HEIGHT = 480

/**
 * A small picture of an email: its own HTML in light mode, cut at the bottom. It loads when it is about to be visible.
 *
 * @param of identifies the content, which never changes
 */
export function Thumbnail({
  of,
  preview,
}: {
  of: readonly unknown[]
  preview: (api: Api, signal: AbortSignal) => Promise<Schemas['TemplatePreview']>
}) {
  const { ref: seen, entry } = useIntersection({ rootMargin: '200px' })
  const { ref: sized, width } = useElementSize()
  const { data } = useWorkspaceQuery(['thumbnail', ...of], preview, {
    enabled: entry?.isIntersecting === true,
    staleMs: Infinity,
  })
  const html = data?.html ?? ''
  const images = useWebImages(imagesIn(html))
  const shown = useMemo(() => safeHtml(forColorScheme(html, 'light'), images), [html, images])
  return (
    <div ref={useMergedRef(seen, sized)} className={classes.thumbnail} aria-hidden inert>
      {html !== '' ? (
        <iframe
          aria-hidden
          tabIndex={-1}
          title="Thumbnail"
          loading="lazy"
          sandbox=""
          srcDoc={shown}
          style={{ width: WIDTH, height: HEIGHT, transform: `scale(${width / WIDTH})` }}
        />
      ) : (
        data && <IconTemplate />
      )}
    </div>
  )
}
