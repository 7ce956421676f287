import { Button, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { sessionQuery } from '../../api/session.ts'
import { useHasRole, useWorkspace } from '../../api/workspace.tsx'
import { Section } from '../../layout/Page.tsx'
import { ApiForm } from '../../primitives/ApiForm.tsx'
import { useApiForm } from '../../primitives/use-api-form.ts'
import classes from './workspace.module.css'

/** Renames the workspace. */
export function NameSection() {
  const { api, workspace } = useWorkspace()
  const isOwner = useHasRole('owner')
  const client = useQueryClient()
  const form = useApiForm({
    initialValues: { name: workspace.name },
    isReadOnly: !isOwner,
    async send(body) {
      await api.PATCH('/workspace', { body })
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey })
    },
  })
  return (
    <Section title="Name and mode">
      <div className="card still">
        <ApiForm form={form} label="Name" className="formFields" fieldsClassName={classes.field ?? ''}>
          <TextInput label="Name" {...form.getInputProps('name')} />
          {isOwner && (
            <Button type="submit" loading={form.request.isPending}>
              {form.request.isSuccess && !form.hasChanges ? 'Renamed' : 'Rename'}
            </Button>
          )}
        </ApiForm>
        {!isOwner && <p className="t2">Only owners can change the settings of the workspace.</p>}
        <p className="t2">
          {workspace.mode === 'test'
            ? 'Test workspace: emails are captured and never delivered.'
            : 'Live workspace: emails are delivered if a mail server is set up.'}
        </p>
        <p className="small t3">
          ID <span className="mono">{workspace.id}</span>
        </p>
      </div>
    </Section>
  )
}
