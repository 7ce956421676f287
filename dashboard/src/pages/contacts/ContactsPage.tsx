import { Button, TextInput } from '@mantine/core'
import { useDebouncedCallback, useDisclosure, useHotkeys } from '@mantine/hooks'
import { IconPlus, IconSearch } from '@tabler/icons-react'
import { Link, useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { Suspense, useEffect, useRef } from 'react'
import { readPages, useLists } from '../../api/queries.ts'
import { useHasRole, useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { Page } from '../../layout/Page.tsx'
import { omit } from '../../lib/omit.ts'
import classes from './contacts.module.css'
import { useContactColumns } from './columns.tsx'
import { type ContactSearch, ContactsList } from './ContactsList.tsx'
import { ExportContacts } from './ExportContacts.tsx'
import { ContactViews } from './ContactViews.tsx'
import { isSavable, SaveView } from './SaveView.tsx'
import { SearchableSelect } from '../../components/SearchableSelect.tsx'
import { ColumnsMenu } from '../../primitives/ColumnsMenu.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { lazyPart } from '../../lib/load-with-retry.ts'

const NewContactForm = lazyPart(async () => (await import('./NewContact.tsx')).NewContactForm)

const PAUSE_MS = 300

/** Lists contacts. The filters are in the URL. */
export function ContactsPage() {
  const search = useSearch({ from: '/w/$workspaceId/contacts' })
  const navigate = useNavigate({ from: '/w/$workspaceId/contacts' })
  const canEdit = useHasRole('editor')
  const { workspace } = useWorkspace()
  const [isCreating, { open, close }] = useDisclosure()
  const find = useRef<HTMLInputElement>(null)
  useHotkeys([
    ['/', () => find.current?.focus()],
    ['n', () => canEdit && open()],
  ])
  const set = (fields: ContactSearch) =>
    void navigate({
      search: (before) => {
        const next = Object.entries({ ...before, page: undefined, ...fields }).filter(
          ([, value]) => value !== undefined && value !== '',
        )
        return Object.fromEntries(next)
      },
      replace: true,
    })
  const router = useRouter()
  const setLater = useDebouncedCallback((fields: ContactSearch) => {
    // The user may have opened a contact in the meantime.
    if (router.latestLocation.pathname.endsWith('/contacts')) set(fields)
  }, PAUSE_MS)
  const searched = search.q ?? search.email ?? ''
  // The field keeps what is typed. It follows the URL otherwise, such as to the list without filters.
  useEffect(() => {
    if (find.current && document.activeElement !== find.current) find.current.value = searched
  }, [searched])
  const lists = useLists()
  const { columns, choices, chosen } = useContactColumns(search.columns)
  const { data: tags } = useWorkspaceQuery(['tags', 'choice'], async (api, signal) => {
    const found = await readPages((query) => api.GET('/tags', { params: { query }, signal }))
    return found.map(({ name }) => name)
  })
  const newContact = (
    <Button variant="filled" leftSection={<IconPlus aria-hidden />} onClick={open}>
      New contact
    </Button>
  )
  return (
    <Page
      title="Contacts"
      actions={
        <>
          <Link className="link" to="/w/$workspaceId/imports" params={{ workspaceId: workspace.id }}>
            Import
          </Link>
          {canEdit && newContact}
        </>
      }
    >
      {isCreating && (
        <Suspense fallback={<SkeletonRows rows={4} />}>
          <NewContactForm onDone={close} />
        </Suspense>
      )}
      <ContactViews segmentId={search.segmentId} onChange={(segmentId) => set({ segmentId })}>
        <TextInput
          ref={find}
          aria-label="Search contacts"
          placeholder="Email or name begins with"
          leftSection={<IconSearch aria-hidden />}
          rightSection={<kbd aria-hidden>/</kbd>}
          defaultValue={searched}
          onChange={({ currentTarget: { value } }) => setLater({ q: value.trim(), email: undefined })}
        />
      </ContactViews>
      <div className={classes.filters}>
        <SearchableSelect
          aria-label="List"
          placeholder="Any list"
          clearable
          data={lists ?? []}
          value={search.listId ?? null}
          onChange={(value) => set({ listId: value ?? undefined })}
        />
        <SearchableSelect
          aria-label="Tag"
          placeholder="Any tag"
          clearable
          data={tags ?? []}
          value={search.tag ?? null}
          onChange={(value) => set({ tag: value ?? undefined })}
        />
        {isSavable(search) && (
          <>
            <Button variant="subtle" color="gray" onClick={() => set({ listId: undefined, tag: undefined })}>
              Reset
            </Button>
            {canEdit && (
              <SaveView
                search={search}
                onSaved={(segmentId) => set({ segmentId, listId: undefined, tag: undefined, q: undefined })}
              />
            )}
          </>
        )}
        <span className="row push">
          <ExportContacts filters={omit(search, 'page', 'columns')} />
          <span className="wide">
            <ColumnsMenu choices={choices} value={chosen} onChange={(ids) => set({ columns: ids })} />
          </span>
        </span>
      </div>
      <ContactsList
        search={search}
        columns={columns}
        onPage={(page) => set({ page })}
        newContact={canEdit && newContact}
      />
    </Page>
  )
}
