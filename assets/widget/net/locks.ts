// locks.ts finds the Web Locks that the tabs of a visitor share. A browser that
// blocks storage names them all the same, but refuses every request.

export const locks = usable();

function usable(): LockManager | null {
  try {
    return localStorage && navigator.locks;
  } catch {
    return null;
  }
}
