import { type ComboboxItem, Select } from '@mantine/core'
import { useDebouncedState } from '@mantine/hooks'
import { IconUser } from '@tabler/icons-react'
import { useWorkspaceQuery } from '../api/workspace.tsx'

const PAUSE_MS = 400

/** Selects the contact to preview an email for. Without one, sample data is used. */
export function ContactSelect({
  label,
  hidesLabel = false,
  value,
  onChange,
}: {
  label: string
  /** Whether only screen readers get the label. */
  hidesLabel?: boolean
  value: ComboboxItem | null
  onChange: (contact: ComboboxItem | null) => void
}) {
  const [search, setSearch] = useDebouncedState('', PAUSE_MS)
  const { data: contacts } = useWorkspaceQuery(['contacts', 'some', search], async (api, signal) => {
    const query = { limit: 20, ...(search !== '' && { q: search }) }
    const { data } = await api.GET('/contacts', { params: { query }, signal })
    return data.data.map(({ id, email }) => ({ value: id, label: email }))
  })
  const others = (contacts ?? []).filter((each) => each.value !== value?.value)
  const present = value ? [value] : []
  return (
    <Select
      {...(hidesLabel ? { 'aria-label': label, leftSection: <IconUser aria-hidden /> } : { label, mb: 8 })}
      placeholder="Sample contact"
      clearable
      searchable
      // The server filters.
      filter={({ options }) => options}
      nothingFoundMessage="No contacts found"
      onSearchChange={(typed) => setSearch(typed.trim())}
      // What was searched comes first, because Enter chooses it.
      data={search === '' || search === value?.label ? [...present, ...others] : [...others, ...present]}
      value={value?.value ?? null}
      onChange={(_, option) => onChange(option)}
    />
  )
}
