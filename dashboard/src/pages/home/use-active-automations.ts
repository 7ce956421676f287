import { useAutomations } from '../automations/use-automations.ts'

/** Automations with what became of their contacts, as home shows them. */
export function useAutomationsWithStats() {
  const { rows, error, refetch } = useAutomations()
  const data = rows?.flatMap(({ automation, figures }) => (figures ? [{ automation, figures }] : []))
  return { data: rows && rows.length > 0 && data?.length === 0 ? undefined : data, error, refetch }
}
