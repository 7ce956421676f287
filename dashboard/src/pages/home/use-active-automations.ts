import { useAutomations } from '../automations/use-automations.ts'

/** Loads automations with their stats. */
export function useAutomationsWithStats() {
  const { rows, error, refetch } = useAutomations()
  const data = rows?.flatMap(({ automation, stats }) => (stats ? [{ automation, stats }] : []))
  return { data: rows && rows.length > 0 && data?.length === 0 ? undefined : data, error, refetch }
}
