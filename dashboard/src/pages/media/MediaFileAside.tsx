import { Button, CopyButton, Textarea } from '@mantine/core'
import { IconLink, IconTrash, IconX } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useHasRole, useInvalidate, useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { plural } from '../../lib/format.ts'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { type MediaFile, sizeOf, sourceOf } from '../../components/media/media.ts'
import classes from '../../components/media/media.module.css'
import { Time } from '../../components/Time.tsx'
import { UsedIn } from '../../components/UsedIn.tsx'
import { AskButton } from '../../primitives/AskButton.tsx'

/** Shows an image, its alt text, and what uses it. */
export function MediaFileAside({ file, onClose }: { file: MediaFile; onClose: () => void }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const canEdit = useHasRole('editor')
  const path = { id: file.id }
  const { data } = useWorkspaceQuery(
    ['media', 'file', file.id],
    async (on, signal) => (await on.GET('/media-files/{id}', { params: { path }, signal })).data.data,
  )
  return (
    <section aria-label={file.name} style={{ display: 'grid', gap: 16 }}>
      <div className="row">
        <h2 className="cut">{file.name}</h2>
        <Button className="push" variant="subtle" color="gray" aria-label="Close" onClick={onClose}>
          <IconX aria-hidden />
        </Button>
      </div>
      <img className={classes.large} src={sourceOf(file)} alt={file.alt ?? ''} />
      <div className="row" style={{ flexWrap: 'wrap' }}>
        <CopyButton value={file.url}>
          {({ copied, copy }) => (
            <Button leftSection={<IconLink aria-hidden />} onClick={copy}>
              {copied ? 'Copied' : 'Copy URL'}
            </Button>
          )}
        </CopyButton>
        {canEdit && (
          <AskButton
            label="Delete…"
            button={{ color: 'bad', leftSection: <IconTrash aria-hidden /> }}
            confirmLabel="Delete image"
            path={`/media-files/${file.id}`}
            description={`${deletionText(data?.usedIn ?? [])} This can’t be undone.`}
            action={async () => {
              await api.DELETE('/media-files/{id}', { params: { path } })
              onClose()
              void invalidate('media')
            }}
          />
        )}
      </div>
      <AltText key={file.id} file={file} canEdit={canEdit} />
      <dl className={classes.facts}>
        <dt className="t2">Size</dt>
        <dd>{sizeOf(file)}</dd>
        <dt className="t2">Added</dt>
        <dd>
          <Time at={file.createdAt} as="date" />
        </dd>
        <dt className="t2">URL</dt>
        <dd className="mono cut" title={file.url}>
          {file.url}
        </dd>
      </dl>
      {data && (
        <div>
          <h3>Used in</h3>
          <UsedIn uses={data.usedIn} none="Not used in any template, automation or campaign." />
        </div>
      )}
    </section>
  )
}

/** Describes the effect of a deletion on emails that were sent. */
function deletionText(uses: readonly Schemas['MediaUse'][]): string {
  const sent = uses.filter(({ kind, status }) => kind === 'CAMPAIGN' && (status === 'SENT' || status === 'CANCELLED'))
  return sent.length === 0
    ? 'Emails that were sent with it will show a gap. You can’t restore the image.'
    : `It was in ${plural(sent.length, 'campaign')}. Emails that were sent will show a gap. You can’t restore the image.`
}

function AltText({ file, canEdit }: { file: MediaFile; canEdit: boolean }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const [text, setText] = useState(file.alt ?? '')
  const save = useMutation({
    mutationFn: (alt: string | null) =>
      api.PATCH('/media-files/{id}', { params: { path: { id: file.id } }, body: { alt } }),
    onSuccess: () => invalidate('media'),
  })
  return (
    <div>
      <Textarea
        label="Alt text"
        description="For recipients who do not see the image, and read aloud. The default in new emails."
        placeholder="Describe the image in a sentence"
        autosize
        value={text}
        readOnly={!canEdit}
        onChange={({ currentTarget: { value } }) => setText(value)}
        onBlur={() => text !== (file.alt ?? '') && save.mutate(text === '' ? null : text)}
      />
      <div className="row small t2" role="status" style={{ minHeight: 28 }}>
        {save.isSuccess && text === (file.alt ?? '') && 'Saved. '}
        {canEdit && file.alt === null && text === '' && (
          <Button size="compact-sm" variant="subtle" loading={save.isPending} onClick={() => save.mutate('')}>
            Mark as decorative
          </Button>
        )}
        {file.alt === '' && text === '' && 'Decorative: screen readers skip it.'}
      </div>
      {save.isError && <ErrorBanner error={save.error} />}
    </div>
  )
}
