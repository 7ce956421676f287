import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { Schemas } from '../api/client.ts'
import { useHasRole, useWorkspace } from '../api/workspace.tsx'
import { ErrorBanner } from './ErrorBanner.tsx'

type TestEmail = Schemas['TestEmail']

const RESULT_MESSAGES: Record<TestEmail['status'], (sent: TestEmail) => string> = {
  SENT: ({ to }) => `The server has it for ${to}.`,
  CAPTURED: () => 'Not delivered: all mail is captured here.',
  FAILED: ({ error }) => `Not sent: ${error ?? ''}`,
  UNCONFIRMED: ({ error }) => `Nobody knows whether it was sent: ${error ?? ''}`,
}

/** Has whoever is signed in have an email in their own inbox. @param before what is said until then */
export function SendTestButton({
  email,
  children,
  hint,
  isReady = true,
}: {
  email: { subject: string; html?: string | null; text?: string | null; contactId?: string }
  children: string
  hint?: string | undefined
  /** Whether it is what is there now. */
  isReady?: boolean
}) {
  const { api } = useWorkspace()
  const canEdit = useHasRole('editor')
  const send = useMutation({
    mutationFn: async () => (await api.POST('/emails/test', { body: email })).data.data,
  })
  if (!canEdit) return null
  return (
    <div className="row" style={{ marginTop: 8, flexWrap: 'wrap' }}>
      <Button loading={send.isPending} disabled={!isReady} onClick={() => send.mutate()}>
        {children}
      </Button>
      <span role="status" className="small t2">
        {send.data ? RESULT_MESSAGES[send.data.status](send.data) : hint}
      </span>
      {send.isError && <ErrorBanner error={send.error} scrollsIntoView />}
    </div>
  )
}
