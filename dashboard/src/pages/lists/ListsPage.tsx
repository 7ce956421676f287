import { Button, TextInput, VisuallyHidden } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useMay, useRead, useReadAgain, useWorkspace } from '../../api/workspace.tsx'
import { count, things } from '../../parts/numbers.ts'
import { CurlButton } from '../../parts/CurlButton.tsx'
import { Problem } from '../../parts/Problem.tsx'
import { Rows } from '../../parts/Rows.tsx'
import { Time } from '../../parts/Time.tsx'
import { Page, Part } from '../../shell/Page.tsx'
import classes from './lists.module.css'

/** Named sets of contacts; and tags, which are words on them. */
export function ListsPage() {
  const { workspace } = useWorkspace()
  const may = useMay('editor')
  const [isMaking, setMaking] = useState(false)
  const [removing, setRemoving] = useState<string>()
  const {
    data: lists,
    error,
    refetch,
  } = useRead(
    ['lists', 'page'],
    async (api, signal) => (await api.GET('/lists', { params: { query: { limit: 100 } }, signal })).data,
    { everyMs: 15_000 },
  )
  const { data: tags } = useRead(
    ['tags', 'page'],
    async (api, signal) => (await api.GET('/tags', { params: { query: { limit: 100 } }, signal })).data.data,
  )
  return (
    <Page
      title="Lists and tags"
      narrow
      actions={
        may && (
          <Button variant="filled" leftSection={<IconPlus aria-hidden />} onClick={() => setMaking(true)}>
            New list
          </Button>
        )
      }
    >
      {isMaking && <NewList onDone={() => setMaking(false)} />}
      <Part title="Lists" beside={lists && count(lists.pagination.total)}>
        {error && <Problem error={error} again={() => void refetch()} />}
        {!lists && !error && <Rows rows={4} />}
        {lists?.data.length === 0 && (
          <p className="t2">
            No list yet. A contact joins one by the API or by hand, and that can start an automation.
          </p>
        )}
        {lists && lists.data.length > 0 && (
          <table className="table">
            <thead>
              <tr>
                <th>Name</th>
                <th className="wide">What for</th>
                <th className="num">Contacts</th>
                <th className="num wide">Made</th>
                <th>
                  <VisuallyHidden>Actions</VisuallyHidden>
                </th>
              </tr>
            </thead>
            <tbody>
              {lists.data.map((list) => (
                <tr key={list.id}>
                  <td className="strong">
                    <Link
                      to="/w/$workspaceId/contacts"
                      params={{ workspaceId: workspace.id }}
                      search={{ listId: list.id }}
                    >
                      {list.name}
                    </Link>
                  </td>
                  <td className="wide t2">{list.description}</td>
                  <td className={`num ${list.contactCount === 0 ? 't3' : 'strong'}`}>{count(list.contactCount)}</td>
                  <td className="num wide t2">
                    <Time at={list.createdAt} />
                  </td>
                  <td className="num">
                    {may &&
                      (removing === list.id ? (
                        <Remove id={list.id} contacts={list.contactCount} onDone={() => setRemoving(undefined)} />
                      ) : (
                        <Button variant="subtle" color="gray" onClick={() => setRemoving(list.id)}>
                          Delete…
                        </Button>
                      ))}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Part>
      <Part title="Tags" beside={tags?.length}>
        {tags?.length === 0 && <p className="t2">No contact has a tag yet.</p>}
        <div className={classes.tags}>
          {tags?.map(({ name, contactCount }) => (
            <Link
              key={name}
              className={classes.tag}
              to="/w/$workspaceId/contacts"
              params={{ workspaceId: workspace.id }}
              search={{ tag: name }}
            >
              {name} <span className="t3">{count(contactCount)}</span>
            </Link>
          ))}
        </div>
      </Part>
    </Page>
  )
}

function NewList({ onDone }: { onDone: () => void }) {
  const { api } = useWorkspace()
  const readAgain = useReadAgain()
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const make = useMutation({
    mutationFn: () => api.POST('/lists', { body: { name, ...(description !== '' && { description }) } }),
    async onSuccess() {
      onDone()
      await readAgain('lists')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    make.mutate()
  }
  return (
    <form className={classes.card} onSubmit={submit} aria-label="New list">
      {make.isError && <Problem error={make.error} />}
      <TextInput label="Name" value={name} onChange={({ currentTarget: { value } }) => setName(value)} autoFocus />
      <TextInput
        label="What for"
        value={description}
        onChange={({ currentTarget: { value } }) => setDescription(value)}
      />
      <div className="row">
        <Button type="submit" variant="filled" loading={make.isPending}>
          Make the list
        </Button>
        <Button variant="subtle" color="gray" onClick={onDone}>
          Cancel
        </Button>
        <CurlButton
          call={{ method: 'POST', path: '/lists', body: { name, ...(description !== '' && { description }) } }}
        />
      </div>
    </form>
  )
}

function Remove({ id, contacts, onDone }: { id: string; contacts: number; onDone: () => void }) {
  const { api } = useWorkspace()
  const readAgain = useReadAgain()
  const remove = useMutation({
    mutationFn: () => api.DELETE('/lists/{id}', { params: { path: { id } } }),
    async onSuccess() {
      onDone()
      await readAgain('lists')
    },
  })
  return (
    <div className={classes.remove}>
      <span className="small t2">
        {things(contacts, 'contact')} in it {contacts === 1 ? 'stays' : 'stay'}. It cannot be undone.
      </span>
      {remove.isError && <Problem error={remove.error} />}
      <Button variant="filled" color="bad" loading={remove.isPending} onClick={() => remove.mutate()}>
        Delete list
      </Button>
      <Button variant="subtle" color="gray" onClick={onDone}>
        Keep it
      </Button>
      <CurlButton call={{ method: 'DELETE', path: `/lists/${id}` }} />
    </div>
  )
}
