import { useEffect } from 'preact/hooks';
import type { Usage } from '../api/types.js';
import { loadUsage, usage } from './catalogues.js';

/**
 * The key's tier and today's count, loaded when a panel is opened.
 * @param isSpending while it is true requests are sent; the count is loaded again when they end
 */
export function useUsage(isSpending = false): Usage | null {
  useEffect(() => {
    if (isSpending) return undefined;
    const controller = new AbortController();
    loadUsage(controller.signal).catch(() => undefined); // the banner shows failures
    return () => controller.abort();
  }, [isSpending]);
  return usage.value;
}
