import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { Schemas } from '../api/client.ts'
import { useMay, useWorkspace } from '../api/workspace.tsx'
import { Problem } from './Problem.tsx'

type TestEmail = Schemas['TestEmail']

const WORDS: Record<TestEmail['status'], (sent: TestEmail) => string> = {
  SENT: ({ to }) => `The server has it for ${to}.`,
  CAPTURED: () => 'Not delivered: all mail is captured here.',
  FAILED: ({ error }) => `Not sent: ${error ?? ''}`,
  UNCONFIRMED: ({ error }) => `Nobody knows whether it was sent: ${error ?? ''}`,
}

/** Has whoever is signed in have an email in their own inbox. @param before what is said until then */
export function SendToMe({
  email,
  children,
  before,
  isReady = true,
}: {
  email: { subject: string; html?: string | null; text?: string | null; contactId?: string }
  children: string
  before?: string | undefined
  /** Whether it is what is there now. */
  isReady?: boolean
}) {
  const { api } = useWorkspace()
  const may = useMay('editor')
  const send = useMutation({
    mutationFn: async () => (await api.POST('/emails/test', { body: email })).data.data,
  })
  if (!may) return null
  return (
    <div className="row" style={{ marginTop: 8, flexWrap: 'wrap' }}>
      <Button loading={send.isPending} disabled={!isReady} onClick={() => send.mutate()}>
        {children}
      </Button>
      <span role="status" className="small t2">
        {send.data ? WORDS[send.data.status](send.data) : before}
      </span>
      {send.isError && <Problem error={send.error} isAnswer />}
    </div>
  )
}
