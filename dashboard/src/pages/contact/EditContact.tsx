import { TagsInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useLists } from '../../api/queries.ts'
import { type Api, hasErrorCode, type Schemas } from '../../api/client.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { CurlButton } from '../../components/CurlButton.tsx'
import { SearchableMultiSelect } from '../../components/SearchableMultiSelect.tsx'
import { ApiForm } from '../../primitives/ApiForm.tsx'
import { useApiForm } from '../../primitives/use-api-form.ts'
import { AttributeFields } from './AttributeFields.tsx'
import { type Attributes as Data, parseAttributes } from './attributes.ts'
import classes from './contact.module.css'

type Contact = Schemas['Contact']

const fieldsOf = ({ email, firstName, externalId, metadata, tags, listIds }: Contact) => ({
  email,
  firstName: firstName ?? '',
  externalId: externalId ?? '',
  metadata: JSON.stringify(metadata, null, 2),
  tags,
  listIds,
})
type Fields = ReturnType<typeof fieldsOf>

/** Returns a merge patch: changed keys, and null for removed ones. */
function jsonMergePatch(before: Data, after: Data): Data {
  const changed = Object.entries(after).filter(([key, value]) => JSON.stringify(before[key]) !== JSON.stringify(value))
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key))
  return Object.fromEntries([...changed, ...gone.map((key) => [key, null] as const)])
}

function patchOf(contact: Contact, { email, firstName, externalId, metadata: json }: Fields) {
  const metadata = jsonMergePatch(contact.metadata, parseAttributes(json) ?? contact.metadata)
  const body = {
    ...(email !== contact.email && { email }),
    ...(firstName !== (contact.firstName ?? '') && { firstName: firstName === '' ? null : firstName }),
    ...(externalId !== (contact.externalId ?? '') && { externalId: externalId === '' ? null : externalId }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  }
  return Object.keys(body).length > 0 ? body : undefined
}

/** Ignores that someone else removed it first. */
function ignoreMissing(error: unknown): void {
  if (!hasErrorCode(error, 'contact_not_in_list', 'tag_not_found', 'list_not_found')) throw error
}

/**
 * Saves with one request after the other. If one fails, the earlier ones stay applied.
 *
 * @param contact as loaded when the form opened, plus changes saved since
 * @param tell called with the updated contact after each request
 */
async function save(api: Api, contact: Contact, fields: Fields, tell: (done: Contact) => void): Promise<void> {
  const path = { id: contact.id }
  let now = contact
  const done = (fields: Partial<Contact>) => tell((now = { ...now, ...fields }))
  const body = patchOf(contact, fields)
  if (body) {
    await api.PATCH('/contacts/{id}', { params: { path }, body })
    done({ ...body, metadata: parseAttributes(fields.metadata) ?? contact.metadata })
  }
  // Tags are case-insensitive, as on the server.
  const has = (tags: readonly string[], tag: string) => tags.some((each) => each.toLowerCase() === tag.toLowerCase())
  const added = fields.tags.filter((tag) => !has(contact.tags, tag))
  if (added.length > 0) {
    await api.POST('/contacts/{id}/tags', { params: { path }, body: { tags: added } })
    done({ tags: [...now.tags, ...added] })
  }
  for (const tag of contact.tags.filter((each) => !has(fields.tags, each))) {
    await api.DELETE('/contacts/{id}/tags/{tag}', { params: { path: { ...path, tag } } }).catch(ignoreMissing)
    done({ tags: now.tags.filter((each) => each !== tag) })
  }
  for (const listId of fields.listIds.filter((each) => !contact.listIds.includes(each))) {
    await api.POST('/lists/{id}/contacts', { params: { path: { id: listId } }, body: { contactId: contact.id } })
    done({ listIds: [...now.listIds, listId] })
  }
  for (const listId of contact.listIds.filter((each) => !fields.listIds.includes(each))) {
    const params = { path: { id: listId, contactId: contact.id } }
    await api.DELETE('/lists/{id}/contacts/{contactId}', { params }).catch(ignoreMissing)
    done({ listIds: now.listIds.filter((each) => each !== listId) })
  }
}

export function EditContactForm({ contact: present, onDone }: { contact: Contact; onDone: () => void }) {
  // As loaded when the form opened, so that changes of others are not reverted.
  const [contact, setContact] = useState(present)
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const lists = useLists()
  const form = useApiForm({
    initialValues: fieldsOf(contact),
    send: (fields) => save(api, contact, fields, setContact).finally(() => void invalidate('contacts')),
    onSent: onDone,
  })
  const body = patchOf(contact, form.values)
  return (
    <ApiForm
      form={form}
      label="Edit contact"
      submitLabel="Save contact"
      onCancel={onDone}
      className={classes.ask}
      more={body && <CurlButton call={{ method: 'PATCH', path: `/contacts/${contact.id}`, body }} />}
    >
      <TextInput label="Email" type="email" {...form.getInputProps('email')} autoFocus />
      <TextInput label="First name" {...form.getInputProps('firstName')} />
      <TextInput
        label="External ID"
        description="Your own ID for this contact."
        {...form.getInputProps('externalId')}
      />
      <TagsInput label="Tags" {...form.getInputProps('tags')} />
      <SearchableMultiSelect
        label="Lists"
        data={lists ?? []}
        {...form.getInputProps('listIds')}
        value={form.values.listIds}
      />
      <AttributeFields {...form.getInputProps('metadata')} value={form.values.metadata} />
      <p className="small t3">Adding tags or lists can start automations.</p>
    </ApiForm>
  )
}
