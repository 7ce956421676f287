import { useIntersection } from '@mantine/hooks'
import { IconTemplate } from '@tabler/icons-react'
import type { Api, Schemas } from '../../api/client.ts'
import { useWorkspaceQuery } from '../../api/workspace.tsx'
import { EmailFrame } from '../../components/EmailPreview.tsx'
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
  const { ref, entry } = useIntersection({ rootMargin: '200px' })
  const { data } = useWorkspaceQuery(['thumbnail', ...of], preview, {
    enabled: entry?.isIntersecting === true,
    staleMs: Infinity,
  })
  const html = data?.html ?? ''
  return (
    <div ref={ref} className={classes.thumbnail} aria-hidden inert>
      {html !== '' ? (
        <EmailFrame html={html} look="wide" title="Thumbnail" width={WIDTH} height={HEIGHT} isDecorative />
      ) : (
        data && <IconTemplate />
      )}
    </div>
  )
}
