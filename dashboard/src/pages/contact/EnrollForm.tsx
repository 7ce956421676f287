import { notifications } from '@mantine/notifications'
import { callOnce, isReplay } from '../../api/call-once.ts'
import type { Schemas } from '../../api/client.ts'
import { readPages } from '../../api/queries.ts'
import { useInvalidate, useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { CurlButton } from '../../components/CurlButton.tsx'
import { SearchableSelect } from '../../components/SearchableSelect.tsx'
import { ApiForm } from '../../primitives/ApiForm.tsx'
import { useApiForm } from '../../primitives/use-api-form.ts'
import classes from './contact.module.css'

type Contact = Schemas['Contact']

/** Adds a contact to an active automation. */
export function EnrollForm({ contact, onDone }: { contact: Contact; onDone: () => void }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const { data } = useWorkspaceQuery(['automations', 'active'], async (read, signal) => {
    const listed = await readPages((query) => read.GET('/automations', { params: { query }, signal }))
    return listed.filter(({ status }) => status === 'active').map(({ id, name }) => ({ value: id, label: name }))
  })
  const body = { contactId: contact.id }
  const form = useApiForm({
    initialValues: { automationId: '' },
    validate: ({ automationId }) => ({ automationId: automationId === '' && 'Choose an option.' }),
    async send({ automationId: id }) {
      const { data: enrolled, response } = await callOnce(['enroll', id, body], (header) =>
        api.POST('/automations/{id}/enroll', { params: { path: { id }, header }, body }),
      )
      const message = isReplay(response) ? 'Already added by your previous click.' : 'Added. The first step starts now.'
      notifications.show({ message: enrolled.data.enrolled ? message : 'This contact is already in the automation.' })
      void invalidate('contacts', contact.id)
    },
    onSent: onDone,
  })
  const { automationId } = form.values
  return (
    <ApiForm
      form={form}
      label="Add to automation"
      submitLabel="Add contact"
      onCancel={onDone}
      className={classes.ask}
      more={
        automationId !== '' && (
          <CurlButton call={{ method: 'POST', path: `/automations/${automationId}/enroll`, body }} />
        )
      }
    >
      <SearchableSelect
        label="Automation"
        placeholder="Choose an automation"
        data={data ?? []}
        {...form.getInputProps('automationId')}
        value={automationId || null}
      />
    </ApiForm>
  )
}
