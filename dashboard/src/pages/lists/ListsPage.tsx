import { Button, VisuallyHidden } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconPlus } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { inWords, type Schemas } from '../../api/client.ts'
import { readPages } from '../../api/reads.ts'
import { useMay, useRead, useReadAgain, useWorkspace } from '../../api/workspace.tsx'
import { count, things } from '../../parts/numbers.ts'
import { Delete } from '../../parts/Delete.tsx'
import { Problem } from '../../parts/Problem.tsx'
import { Rows } from '../../parts/Rows.tsx'
import { Time } from '../../parts/Time.tsx'
import { Page, Part } from '../../shell/Page.tsx'
import { ListForm } from './ListForm.tsx'
import classes from './lists.module.css'

/** Named sets of contacts; and tags, which are words on them. */
export function ListsPage() {
  const { workspace } = useWorkspace()
  const may = useMay('editor')
  const [isMaking, setMaking] = useState(false)
  const [removing, setRemoving] = useState<string>()
  const [editing, setEditing] = useState<Schemas['ContactList']>()
  const {
    data: lists,
    error,
    refetch,
  } = useRead(
    ['lists', 'page'],
    (api, signal) => readPages((query) => api.GET('/lists', { params: { query }, signal })),
    { everyMs: 15_000 },
  )
  const { data: tags } = useRead(['tags', 'page'], (api, signal) =>
    readPages((query) => api.GET('/tags', { params: { query }, signal })),
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
      {isMaking && <ListForm onDone={() => setMaking(false)} />}
      {editing && <ListForm key={editing.id} list={editing} onDone={() => setEditing(undefined)} />}
      <Part title="Lists" beside={lists && count(lists.length)}>
        {error && <Problem error={error} again={() => void refetch()} />}
        {!lists && !error && <Rows rows={4} />}
        {lists?.length === 0 && (
          <p className="t2">
            No list yet. A contact joins one by the API or by hand, and that can start an automation.
          </p>
        )}
        {lists && lists.length > 0 && (
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
              {lists.map((list) => (
                <tr key={list.id}>
                  <td className="strong">
                    <Link
                      to="/w/$workspaceId/contacts"
                      params={{ workspaceId: workspace.id }}
                      search={{ listId: list.id }}
                    >
                      {list.name}
                    </Link>
                    {list.doubleOptIn && <span className="small t3"> joined by confirming</span>}
                    {list.public && <span className="small t3"> public</span>}
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
                        <>
                          <Asking list={list} />
                          <Button
                            variant="subtle"
                            color="gray"
                            aria-label={`Edit ${list.name}`}
                            disabled={editing !== undefined || isMaking}
                            onClick={() => setEditing(list)}
                          >
                            Edit…
                          </Button>
                          <Button variant="subtle" color="gray" onClick={() => setRemoving(list.id)}>
                            Delete…
                          </Button>
                        </>
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

/** Whether whoever is put into a list is asked first. */
function Asking({ list: { id, doubleOptIn } }: { list: Schemas['ContactList'] }) {
  const { api } = useWorkspace()
  const readAgain = useReadAgain()
  const change = useMutation({
    mutationFn: () => api.PATCH('/lists/{id}', { params: { path: { id } }, body: { doubleOptIn: !doubleOptIn } }),
    onError: (error) => notifications.show({ message: inWords(error), color: 'bad', autoClose: false }),
    onSettled: () => void readAgain('lists'),
  })
  return (
    <Button variant="subtle" color="gray" className="wide" loading={change.isPending} onClick={() => change.mutate()}>
      {doubleOptIn ? 'Ask no more' : 'Ask to confirm'}
    </Button>
  )
}

function Remove({ id, contacts, onDone }: { id: string; contacts: number; onDone: () => void }) {
  const { api } = useWorkspace()
  const readAgain = useReadAgain()
  return (
    <Delete
      what="list"
      path={`/lists/${id}`}
      says={`${things(contacts, 'contact')} in it ${contacts === 1 ? 'stays' : 'stay'}.`}
      call={() => api.DELETE('/lists/{id}', { params: { path: { id } } }).finally(() => void readAgain('lists'))}
      onDone={onDone}
    />
  )
}
