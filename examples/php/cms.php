<?php
// What the proxy asks the CMS. This one keeps everything in PHP's own session: replace the three functions by those of your CMS.

/** Returns the id of the user who is logged in and may edit media; null without the right CSRF token. */
function cms_user(): ?string
{
    // Closed at once: an open session would let requests of one browser wait for each other.
    session_start(['read_and_close' => true]);
    $known = isset($_SESSION['user'], $_SESSION['csrf']);
    return $known && hash_equals($_SESSION['csrf'], $_SERVER['HTTP_X_CSRF_TOKEN'] ?? '') ? $_SESSION['user'] : null;
}

/** Returns true if the user has created this session of the service. */
function cms_owns(string $user, string $session): bool
{
    return in_array($session, $_SESSION['imagewright'] ?? [], true);
}

/** Stores that the user has created this session of the service. */
function cms_remember(string $user, string $session): void
{
    session_start();
    $_SESSION['imagewright'][] = $session;
    session_write_close();
}
