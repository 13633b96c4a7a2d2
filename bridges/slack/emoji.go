package slack

// toned are the emoji that may have the tone of a skin.
const toned = "👍👎🙇🤙👏🤞🤦👊✊✋🤝💪👌👇👈👉👆🙏🙌🙋🤷👋"

// emojis are the common ones by Slack's names for them; others stay as they are
// written.
var emojis = map[string]string{
	"+1": "👍", "-1": "👎", "100": "💯", "airplane": "✈️", "alarm_clock": "⏰", "angry": "😠", "arrow_down": "⬇️",
	"arrow_left": "⬅️", "arrow_right": "➡️", "arrow_up": "⬆️", "arrows_counterclockwise": "🔄", "astonished": "😲",
	"balloon": "🎈", "ballot_box_with_check": "☑️", "bangbang": "‼️", "bar_chart": "📊", "beer": "🍺", "beers": "🍻",
	"bell": "🔔", "birthday": "🎂", "black_circle": "⚫", "black_heart": "🖤", "blue_heart": "💙", "blush": "😊", "boom": "💥",
	"bow": "🙇", "brain": "🧠", "broken_heart": "💔", "bug": "🐛", "bulb": "💡", "cake": "🍰", "calendar": "📆",
	"call_me_hand": "🤙", "camera": "📷", "car": "🚗", "cat": "🐱", "chart_with_downwards_trend": "📉",
	"chart_with_upwards_trend": "📈", "clap": "👏", "clipboard": "📋", "cloud": "☁️", "coffee": "☕", "computer": "💻",
	"confetti_ball": "🎊", "confused": "😕", "construction": "🚧", "cookie": "🍪", "credit_card": "💳",
	"crossed_fingers": "🤞", "cry": "😢", "date": "📅", "desktop_computer": "🖥️", "disappointed": "😞", "dog": "🐶",
	"earth_africa": "🌍", "earth_americas": "🌎", "earth_asia": "🌏", "email": "✉️", "envelope": "✉️", "exclamation": "❗",
	"exploding_head": "🤯", "expressionless": "😑", "eyes": "👀", "face_with_rolling_eyes": "🙄", "facepalm": "🤦",
	"facepunch": "👊", "fire": "🔥", "fist": "✊", "flushed": "😳", "gear": "⚙️", "ghost": "👻", "gift": "🎁",
	"green_heart": "💚", "grey_question": "❔", "grimacing": "😬", "grin": "😁", "grinning": "😀", "hammer": "🔨",
	"hammer_and_wrench": "🛠️", "hand": "✋", "handshake": "🤝", "hear_no_evil": "🙉", "heart": "❤️", "heart_eyes": "😍",
	"heavy_check_mark": "✔️", "heavy_exclamation_mark": "❗", "heavy_minus_sign": "➖", "heavy_plus_sign": "➕",
	"hourglass": "⌛", "hourglass_flowing_sand": "⏳", "house": "🏠", "hugging_face": "🤗", "hushed": "😯",
	"incoming_envelope": "📨", "information_source": "ℹ️", "innocent": "😇", "iphone": "📱", "joy": "😂", "key": "🔑",
	"kissing_heart": "😘", "large_blue_circle": "🔵", "large_green_circle": "🟢", "large_yellow_circle": "🟡",
	"laughing": "😆", "leftwards_arrow_with_hook": "↩️", "link": "🔗", "lock": "🔒", "loudspeaker": "📢", "mag": "🔍",
	"mask": "😷", "mega": "📣", "melting_face": "🫠", "memo": "📝", "moneybag": "💰", "movie_camera": "🎥", "muscle": "💪",
	"negative_squared_cross_mark": "❎", "nerd_face": "🤓", "neutral_face": "😐", "no_bell": "🔕", "no_entry": "⛔",
	"no_entry_sign": "🚫", "no_mouth": "😶", "office": "🏢", "ok_hand": "👌", "one": "1️⃣", "open_mouth": "😮",
	"orange_heart": "🧡", "package": "📦", "paperclip": "📎", "partying_face": "🥳", "pencil": "📝", "pencil2": "✏️",
	"pensive": "😔", "phone": "☎️", "pizza": "🍕", "pleading_face": "🥺", "point_down": "👇", "point_left": "👈",
	"point_right": "👉", "point_up": "☝️", "point_up_2": "👆", "pray": "🙏", "printer": "🖨️", "punch": "👊",
	"purple_heart": "💜", "pushpin": "📌", "question": "❓", "rage": "😡", "rainbow": "🌈", "raised_hand": "✋",
	"raised_hands": "🙌", "raising_hand": "🙋", "recycle": "♻️", "red_circle": "🔴", "relieved": "😌", "robot_face": "🤖",
	"rocket": "🚀", "rolling_on_the_floor_laughing": "🤣", "rotating_light": "🚨", "saluting_face": "🫡", "satisfied": "😆",
	"scream": "😱", "see_no_evil": "🙈", "shopping_trolley": "🛒", "shrug": "🤷", "shushing_face": "🤫", "simple_smile": "🙂",
	"skull": "💀", "sleeping": "😴", "sleepy": "😪", "slightly_frowning_face": "🙁", "slightly_smiling_face": "🙂",
	"smile": "😄", "smiley": "😃", "smirk": "😏", "snowflake": "❄️", "sob": "😭", "sparkles": "✨", "sparkling_heart": "💖",
	"speak_no_evil": "🙊", "speech_balloon": "💬", "star": "⭐", "star-struck": "🤩", "star2": "🌟", "stopwatch": "⏱️",
	"stuck_out_tongue": "😛", "stuck_out_tongue_winking_eye": "😜", "sunglasses": "😎", "sunny": "☀️", "sweat": "😓",
	"sweat_smile": "😅", "tada": "🎉", "telephone_receiver": "📞", "thinking_face": "🤔", "thought_balloon": "💭",
	"three": "3️⃣", "thumbsdown": "👎", "thumbsup": "👍", "tired_face": "😫", "triumph": "😤", "trophy": "🏆", "two": "2️⃣",
	"two_hearts": "💕", "umbrella": "☔", "unamused": "😒", "unlock": "🔓", "upside_down_face": "🙃", "v": "✌️",
	"warning": "⚠️", "wave": "👋", "weary": "😩", "white_check_mark": "✅", "white_circle": "⚪",
	"white_frowning_face": "☹️", "white_heart": "🤍", "wink": "😉", "worried": "😟", "wrench": "🔧", "writing_hand": "✍️",
	"x": "❌", "yellow_heart": "💛", "yum": "😋", "zap": "⚡",
}
