import { Radio, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { callOnce } from '../../api/call-once.ts'
import { sessionQuery, type Workspace } from '../../api/session.ts'
import { useWorkspace } from '../../api/workspace.tsx'
import { ApiForm } from '../../primitives/ApiForm.tsx'
import { useApiForm } from '../../primitives/use-api-form.ts'
import classes from './workspace.module.css'

const EMPTY: Pick<Workspace, 'name' | 'mode'> = { name: '', mode: 'test' }

export function NewWorkspace({ onDone }: { onDone: () => void }) {
  const { api } = useWorkspace()
  const client = useQueryClient()
  const navigate = useNavigate()
  const form = useApiForm({
    initialValues: EMPTY,
    async send(body) {
      const { data } = await callOnce(['workspace', body], (header) =>
        api.POST('/workspaces', { params: { header }, body }),
      )
      // The workspace exists even if the session can't be reloaded.
      await client.fetchQuery({ ...sessionQuery, staleTime: 0 }).catch(() => undefined)
      return data.data.id
    },
    onSent(workspaceId) {
      if (workspaceId === undefined) return
      void navigate({ to: '/w/$workspaceId', params: { workspaceId }, ignoreBlocker: true })
    },
  })
  return (
    <ApiForm form={form} label="New workspace" hasHeading submitLabel="Create workspace" onCancel={onDone}>
      <TextInput label="Name" {...form.getInputProps('name')} autoFocus />
      <Radio.Group label="Mode (can’t be changed later)" {...form.getInputProps('mode')}>
        <div className={classes.modes}>
          <Radio value="test" label="Test" description="For development: emails are captured, not delivered." />
          <Radio value="live" label="Live" description="Emails are delivered through your mail server." />
        </div>
      </Radio.Group>
    </ApiForm>
  )
}
