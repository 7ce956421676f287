import { useParams } from '@tanstack/react-router'
import { DriplineError } from '../../api/client.ts'
import { useRead } from '../../api/workspace.tsx'
import { Problem } from '../../parts/Problem.tsx'
import { Rows } from '../../parts/Rows.tsx'
import { Page } from '../../shell/Page.tsx'
import { Builder } from './Builder.tsx'
import { OPENED } from './opened.ts'
import { readSequence, sequenceOf } from './sequence.ts'

/** An automation: edited, and with its numbers. */
export function BuilderPage() {
  const { automationId } = useParams({ from: '/w/$workspaceId/automations/$automationId' })
  const { data, error, refetch } = useRead(
    [OPENED, automationId],
    async (api, signal) => {
      const params = { path: { id: automationId } }
      const { data: body, response } = await api.GET('/automations/{id}', { params, signal })
      const draft = await api.GET('/automations/{id}/draft', { params, signal }).catch((reason: unknown) => {
        if (reason instanceof DriplineError && reason.code === 'draft_not_found') return undefined
        throw reason
      })
      const automation = body.data
      const etag = response.headers.get('etag') ?? ''
      const kept = draft && readSequence(draft.data.data.content)
      return {
        automation,
        etag,
        draft: draft && { ...draft.data.data, etag: draft.response.headers.get('etag') ?? '' },
        sequence: kept ?? sequenceOf(automation),
      }
    },
    // What is edited is not read anew under somebody's hands.
    { once: true },
  )
  if (error && !data)
    return (
      <Page title="Automation">
        <Problem error={error} again={() => void refetch()} />
      </Page>
    )
  if (!data)
    return (
      <Page title="Automation">
        <Rows />
      </Page>
    )
  return <Builder key={`${data.etag} ${data.draft?.etag ?? ''}`} opened={data} reopen={() => void refetch()} />
}
