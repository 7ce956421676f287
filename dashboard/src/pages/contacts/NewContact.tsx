import { TagsInput, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useLists } from '../../api/queries.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { CurlButton } from '../../components/CurlButton.tsx'
import { SearchableSelect } from '../../components/SearchableSelect.tsx'
import { ApiForm } from '../../primitives/ApiForm.tsx'
import { useApiForm } from '../../primitives/use-api-form.ts'
import { AttributeFields } from '../contact/AttributeFields.tsx'
import { parseAttributes } from '../contact/attributes.ts'
import classes from './contacts.module.css'

const EMPTY = {
  email: '',
  firstName: '',
  externalId: '',
  listId: null as string | null,
  tags: [] as string[],
  // JSON.
  metadata: '{}',
}

function bodyOf({ email, firstName, externalId, listId, tags, metadata: json }: typeof EMPTY) {
  const metadata = parseAttributes(json) ?? {}
  return {
    email,
    ...(firstName !== '' && { firstName }),
    ...(externalId !== '' && { externalId }),
    ...(listId !== null && { listId }),
    ...(tags.length > 0 && { tags }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  }
}

/** Creates a contact. It triggers automations like an API request. */
export function NewContactForm({ onDone }: { onDone: () => void }) {
  const { api, workspace } = useWorkspace()
  const invalidate = useInvalidate()
  const navigate = useNavigate()
  const lists = useLists()
  const form = useApiForm({
    initialValues: EMPTY,
    async send(values) {
      const { data } = await api.POST('/contacts', { body: bodyOf(values) })
      void invalidate('contacts')
      return data.data.id
    },
    onSent: (contactId) =>
      contactId !== undefined &&
      void navigate({
        to: '/w/$workspaceId/contacts/$contactId',
        params: { workspaceId: workspace.id, contactId },
        ignoreBlocker: true,
      }),
  })
  return (
    <ApiForm
      form={form}
      label="New contact"
      submitLabel="Save contact"
      onCancel={onDone}
      more={<CurlButton call={{ method: 'POST', path: '/contacts', body: bodyOf(form.values) }} />}
    >
      <div className={classes.pair}>
        <TextInput label="Email" type="email" {...form.getInputProps('email')} autoFocus />
        <TextInput label="First name" {...form.getInputProps('firstName')} />
        <TextInput label="External ID" {...form.getInputProps('externalId')} />
        <SearchableSelect
          label="List"
          clearable
          data={lists ?? []}
          {...form.getInputProps('listId')}
          value={form.values.listId}
        />
        <TagsInput label="Tags" {...form.getInputProps('tags')} />
      </div>
      <AttributeFields {...form.getInputProps('metadata')} value={form.values.metadata} />
      <p className="small t3">
        If a contact with this email exists, it is updated. A new contact can start automations.
      </p>
    </ApiForm>
  )
}
