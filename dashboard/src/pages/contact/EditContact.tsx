import { Button, TagsInput, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useLists } from '../../api/queries.ts'
import { type Api, DriplineError, hasErrorCode, type Schemas } from '../../api/client.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { focusInvalidField } from '../../lib/has-invalid-field.ts'
import { SearchableMultiSelect } from '../../components/SearchableMultiSelect.tsx'
import { CurlButton } from '../../components/CurlButton.tsx'
import { UnsavedChangesGuard } from '../../components/UnsavedChanges.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { stableJson } from '../../lib/stable-json.ts'
import { AttributeFields } from './AttributeFields.tsx'
import { type Attributes as Data, parseAttributes } from './attributes.ts'
import classes from './contact.module.css'
import { useReturnFocus } from '../../lib/use-return-focus.ts'

type Contact = Schemas['Contact']

interface Fields {
  email: string
  firstName: string
  externalId: string
  data: string
  tags: string[]
  listIds: string[]
}

const fieldsOf = (contact: Contact): Fields => ({
  email: contact.email,
  firstName: contact.firstName ?? '',
  externalId: contact.externalId ?? '',
  data: JSON.stringify(contact.metadata, null, 2),
  tags: contact.tags,
  listIds: contact.listIds,
})

/** Returns a merge patch: changed keys, and null for removed ones. */
function jsonMergePatch(before: Data, after: Data): Data {
  const changed = Object.entries(after).filter(([key, value]) => JSON.stringify(before[key]) !== JSON.stringify(value))
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key))
  return Object.fromEntries([...changed, ...gone.map((key) => [key, null] as const)])
}

function patchOf(contact: Contact, { email, firstName, externalId, data }: Fields) {
  const metadata = jsonMergePatch(contact.metadata, parseAttributes(data) ?? contact.metadata)
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
    done({ ...body, metadata: parseAttributes(fields.data) ?? contact.metadata })
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
  useReturnFocus()
  // As loaded when the form opened, so that changes of others are not reverted.
  const [contact, setContact] = useState(present)
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const [fields, setFields] = useState<Fields>(() => fieldsOf(contact))
  const lists = useLists()
  const saving = useMutation({
    mutationFn: () => save(api, contact, fields, setContact),
    onSettled: () => void invalidate('contacts'),
  })
  const set = (change: Partial<Fields>) => setFields((before) => ({ ...before, ...change }))
  const param = saving.error instanceof DriplineError ? saving.error.param : undefined
  const errorOf = (of: string) => (param === of ? saving.error?.message : undefined)
  const isData = parseAttributes(fields.data) !== undefined
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (focusInvalidField(event.currentTarget)) return
    // Closes this form only, not one that was opened in the meantime.
    if (isData) saving.mutate(undefined, { onSuccess: onDone })
  }
  const body = patchOf(contact, fields)
  return (
    <form
      className={classes.ask}
      onSubmit={submit}
      onChange={() => saving.isError && saving.reset()}
      aria-label="Edit contact"
    >
      <UnsavedChangesGuard
        isDirty={stableJson(fields) !== stableJson(fieldsOf(contact))}
        isSending={saving.isPending}
      />
      {saving.isError && !['/email', '/externalId', '/metadata'].includes(param ?? '') && (
        <ErrorBanner error={saving.error} scrollsIntoView />
      )}
      <fieldset className="plainFields formFields" disabled={saving.isPending}>
        <TextInput
          label="Email"
          type="email"
          value={fields.email}
          error={errorOf('/email')}
          data-rechecked={errorOf('/email') !== undefined || undefined}
          onChange={({ currentTarget: { value } }) => set({ email: value })}
          autoFocus
        />
        <TextInput
          label="First name"
          value={fields.firstName}
          onChange={({ currentTarget: { value } }) => set({ firstName: value })}
        />
        <TextInput
          label="External ID"
          description="Your own ID for this contact."
          value={fields.externalId}
          error={errorOf('/externalId')}
          data-rechecked={errorOf('/externalId') !== undefined || undefined}
          onChange={({ currentTarget: { value } }) => set({ externalId: value })}
        />
        <TagsInput label="Tags" value={fields.tags} onChange={(tags) => set({ tags })} />
        <SearchableMultiSelect
          label="Lists"
          data={lists ?? []}
          value={fields.listIds}
          onChange={(listIds) => set({ listIds })}
        />
        <AttributeFields value={fields.data} error={errorOf('/metadata')} onChange={(data) => set({ data })} />
      </fieldset>
      <p className="small t3">Adding tags or lists can start automations.</p>
      <div className="row">
        <Button type="submit" variant="filled" loading={saving.isPending}>
          Save contact
        </Button>
        <Button variant="subtle" color="gray" onClick={onDone} disabled={saving.isPending}>
          Cancel
        </Button>
        {body && <CurlButton call={{ method: 'PATCH', path: `/contacts/${contact.id}`, body }} />}
      </div>
    </form>
  )
}
