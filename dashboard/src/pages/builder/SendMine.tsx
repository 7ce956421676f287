import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { Schemas } from '../../api/client.ts'
import { useMay, useWorkspace } from '../../api/workspace.tsx'
import { Problem } from '../../parts/Problem.tsx'
import { testEmailInWords } from '../../parts/test-email.ts'
import type { EmailStep } from './sequence.ts'

/** Has somebody have the email in their own inbox. @param contactId as whom it would have */
export function SendMine({ step, contactId }: { step: EmailStep; contactId: string | null }) {
  const { api } = useWorkspace()
  const may = useMay('editor')
  const { subject, html, text } = step
  const send = useMutation({
    async mutationFn(): Promise<Schemas['TestEmail']> {
      const body = { subject, html, text, ...(contactId !== null && { contactId }) }
      return (await api.POST('/emails/test', { body })).data.data
    },
  })
  if (!may) return null
  return (
    <div className="row" style={{ marginTop: 8, flexWrap: 'wrap' }}>
      <Button loading={send.isPending} onClick={() => send.mutate()}>
        Send it to me
      </Button>
      <span role="status" className="small t2">
        {send.data && testEmailInWords(send.data)}
      </span>
      {send.isError && <Problem error={send.error} />}
    </div>
  )
}
