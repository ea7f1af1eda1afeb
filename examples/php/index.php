<?php
// The admin of a small CMS: a log-in, and a page with the element. examples/README.md has the command that starts it.
$password = getenv('ADMIN_PASSWORD') ?: '';
session_start();
if ($password !== '' && hash_equals($password, (string) filter_input(INPUT_POST, 'password'))) {
    session_regenerate_id(true);
    $_SESSION = ['user' => 'editor', 'csrf' => bin2hex(random_bytes(16))];
    header('Location: ./', true, 303);
    exit;
}
$csrf = $_SESSION['csrf'] ?? null;
session_write_close();
$service = htmlspecialchars(rtrim(getenv('IMAGEWRIGHT_URL') ?: 'http://127.0.0.1:8080', '/'));
?>
<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Media</title>
  </head>
  <body>
<?php if ($csrf === null): ?>
    <form method="post">
      <label>Password <input type="password" name="password" required></label>
      <button>Log in</button>
    </form>
<?php else: ?>
    <image-optimizer endpoint="/imagewright-proxy.php"></image-optimizer>
    <script>
      document.querySelector('image-optimizer').headers = { 'X-CSRF-Token': '<?= $csrf ?>' };
    </script>
    <script type="module" src="<?= $service ?>/widget/define.js"></script>
<?php endif ?>
  </body>
</html>
