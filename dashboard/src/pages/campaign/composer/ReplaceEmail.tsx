import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useWorkspace } from '../../../api/workspace.tsx'
import { ErrorBanner } from '../../../components/ErrorBanner.tsx'
import { Notice } from '../../../components/Notice.tsx'
import { DisplayableError } from '../../../api/client.ts'
import { bodyOf, EMPTY_DESIGN, hasBody } from './fields.ts'
import type { CampaignDraft } from './use-campaign-draft.ts'

/** The kind of content of a campaign. */
export type Source = 'DESIGN' | 'TEMPLATE' | 'CODE'

const TEXTS: Record<Source, { title: string; text: string; button: string }> = {
  CODE: {
    title: 'Turn the design into code?',
    text: 'The email stays as it is, as MJML. Code can’t become a design again.',
    button: 'Turn into code',
  },
  DESIGN: {
    title: 'Replace the code?',
    text: 'A new, empty design takes the place of the code. The code is deleted.',
    button: 'Delete the code',
  },
  TEMPLATE: {
    title: 'Replace this email?',
    text: 'A template takes the place of the email when you choose one. The email written here is then deleted.',
    button: 'Use a template',
  },
}

/** Asks before an email that is written gets another kind of content. */
export function ReplaceEmail({
  draft: { form, fields },
  by,
  onDone,
  onCancel,
}: {
  draft: CampaignDraft
  by: Source
  onDone: () => void
  onCancel: () => void
}) {
  const { api } = useWorkspace()
  const { title, text, button } = TEXTS[by]
  const replace = useMutation({
    mutationFn: async () => {
      if (by === 'DESIGN') form.setValues({ format: 'BLOCKS', design: EMPTY_DESIGN, html: '', text: '' })
      if (by !== 'CODE') return
      if (fields.format !== 'BLOCKS' || !hasBody(fields)) return form.setValues({ format: 'HTML' })
      const sent = fields.design
      const { mjml } = (await api.POST('/templates/preview', { body: bodyOf(fields) })).data.data
      if (form.getValues().design !== sent)
        throw new DisplayableError('You changed the design in the meantime. Try again.')
      form.setValues({ format: 'MJML', html: mjml ?? '' })
    },
    onSuccess: onDone,
  })
  return (
    <Notice title={title}>
      <p className="t2">{text}</p>
      {replace.isError && <ErrorBanner error={replace.error} />}
      <div className="row">
        <Button loading={replace.isPending} onClick={() => replace.mutate()}>
          {button}
        </Button>
        <Button variant="subtle" color="gray" disabled={replace.isPending} onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </Notice>
  )
}
