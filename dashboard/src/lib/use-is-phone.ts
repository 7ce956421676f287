import { useMediaQuery } from '@mantine/hooks'

/** Whether the page is as narrow as on a phone: the same width as in the styles. */
export const useIsPhone = (): boolean =>
  useMediaQuery('(max-width: 720px)', undefined, { getInitialValueInEffect: false }) ?? false
