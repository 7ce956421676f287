import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { Schemas } from '../api/client.ts'
import { useHasRole, useWorkspace } from '../api/workspace.tsx'
import { ErrorBanner } from './ErrorBanner.tsx'

/** Whether an email is marketing, and so has a footer. */
export type Category = 'marketing' | 'transactional'

type TestEmail = Schemas['TestEmail']

const RESULT_MESSAGES: Record<TestEmail['status'], (sent: TestEmail) => string> = {
  SENT: ({ to }) => `Test email sent to ${to}.`,
  CAPTURED: () => 'Captured, not delivered: this workspace captures all email.',
  FAILED: ({ error }) => `Not sent: ${error ?? ''}`,
  UNCONFIRMED: ({ error }) => `Couldn’t confirm whether it was sent: ${error ?? ''}`,
}

/** Sends a test email to the signed-in user. @param hint text shown until it is sent */
export function SendTestButton({
  email,
  children,
  hint,
  isReady = true,
  onSent,
}: {
  email: {
    subject: string
    html?: string | null
    text?: string | null
    category?: Category
    contactId?: string
  }
  children: string
  hint?: string | undefined
  /** Whether the email is up to date. */
  isReady?: boolean
  onSent?: () => void
}) {
  const { api } = useWorkspace()
  const canEdit = useHasRole('editor')
  const send = useMutation({
    mutationFn: async () => (await api.POST('/emails/test', { body: email })).data.data,
    onSuccess: () => onSent?.(),
  })
  if (!canEdit) return null
  return (
    <div className="row" style={{ flexWrap: 'wrap' }}>
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
